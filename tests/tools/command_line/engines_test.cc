#include "tools/command_line/engines.h"

#include <ATen/Context.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

bool Has(at::QEngine engine) {
  const std::vector<at::QEngine>& engines =
      at::globalContext().supportedQEngines();
  return ::testing::Value(engines, Contains(engine));
}

TEST(EngineOfBackendTest, OneDnnStandsInForAnAbsentFbgemm) {
  const std::string expected = Has(at::kFBGEMM) ? "fbgemm" : "onednn";
  EXPECT_EQ(OrThrow(EngineOfBackend("fbgemm")), expected);
  EXPECT_EQ(OrThrow(EngineOfBackend("x86")), expected);
}

TEST(EngineOfBackendTest, OthersHaveTheirOwnEngine) {
  EXPECT_EQ(OrThrow(EngineOfBackend("onednn")), "onednn");
  EXPECT_EQ(OrThrow(EngineOfBackend("qnnpack")), "qnnpack");
}

TEST(EngineOfBackendTest, AnEngineThatIsNotThereIsNamed) {
  EXPECT_THAT(MessageOf(EngineOfBackend("tpu")),
              AllOf(HasSubstr("--backend=tpu"), HasSubstr("has onednn")));
}

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
