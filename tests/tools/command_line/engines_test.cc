#include "tools/command_line/engines.h"

#include <ATen/Context.h>

#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

TEST(WithEngineTest, SetsTheEngineThatIsNamed) {
  for (const std::string name : {"qnnpack", "onednn"}) {
    int calls = 0;
    NS_EXPECT_OK(WithEngine(name, [&] {
      ++calls;
      EXPECT_EQ(at::globalContext().qEngine(),
                name == "onednn" ? at::kONEDNN : at::kQNNPACK);
      return absl::OkStatus();
    }));
    EXPECT_EQ(calls, 1) << name;
  }
}

TEST(WithEngineTest, TriesAllAndReturnsTheFirstError) {
  int calls = 0;
  const absl::Status status = WithEngine("", [&] {
    ++calls;
    return absl::InvalidArgumentError(calls == 1 ? "first" : "later");
  });
  EXPECT_EQ(status.message(), "first");
  EXPECT_GT(calls, 1);
}

}  // namespace
}  // namespace ns
