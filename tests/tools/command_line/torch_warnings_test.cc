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

}  // namespace
}  // namespace ns
