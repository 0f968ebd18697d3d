#include "ns/batches/run_batches.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

ModelGraph Scaled() {
  return ModelOf(R"IR(
graph(%x : Tensor, %factor : float):
  %y : Tensor = aten::mul(%x, %factor)
  return (%y))IR");
}

TEST(RunBatchesTest, FitsAndRunsEveryBatch) {
  ModelGraph model = Scaled();
  std::vector<size_t> done;
  // A whole number stands for a float.
  const absl::Status status =
      RunBatches("float", model,
                 {{{at::ones({2}), 2}, {}, ""}, {{at::ones({2}), 0.5}, {}, ""}},
                 [&](size_t count) { done.push_back(count); });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(done, ElementsAre(1, 2));
}

TEST(RunBatchesTest, NamesBatchThatDoesNotFit) {
  ModelGraph model = Scaled();
  const absl::Status status =
      RunBatches("float", model,
                 {{{at::ones({2}), 0.5}, {}, "in.pt: batch 0"},
                  {{at::ones({2})}, {}, "in.pt: batch 1"}});
  EXPECT_THAT(std::string(status.message()),
              StartsWith("in.pt: batch 1: the float model, method 'forward'"));
}

TEST(RunBatchesTest, CountsBatchesOfNoFile) {
  ModelGraph model = Scaled();
  const absl::Status status =
      RunBatches("quantized", model, {{{at::ones({2})}, {}, ""}});
  EXPECT_THAT(std::string(status.message()),
              StartsWith("batch 0: the quantized model, "));
}

}  // namespace
}  // namespace ns
