#include "tools/command_line/torch_warnings.h"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

namespace ns {
namespace {

TEST(TorchWarningsTest, EachIsPrintedOnceInALineOfItsOwn) {
  PrintTorchWarningsOnce();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    TORCH_WARN("slow path");
    TORCH_WARN("no kernel for ", 7, "\nat some place");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ns: warning: LibTorch: slow path\n"
            "ns: warning: LibTorch: no kernel for 7\n");
}

TEST(TorchWarningsTest, NothingIsSaidOfTheTypesThatNsIsFor) {
  PrintTorchWarningsOnce();
  testing::internal::CaptureStderr();
  TORCH_WARN("functions that make torch.quint8 and torch.qint8 are deprecated");
  TORCH_WARN("quint8 overflows");
  TORCH_WARN("a function is deprecated");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ns: warning: LibTorch: quint8 overflows\n"
            "ns: warning: LibTorch: a function is deprecated\n");
}

}  // namespace
}  // namespace ns
