#include "ns/batches/run_batches.h"

#include <ATen/Functions.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

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

TEST(RunBatchesTest, ModelsDoNotWriteIntoBatches) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::zero_(%x)
  return (%y))IR");
  const at::Tensor x = at::ones({2});
  const Batch batch{{x}, {}, ""};
  EXPECT_TRUE(OrThrow(RunBatch("float", model, batch, 0))
                  .toTensor()
                  .equal(at::zeros({2})));
  EXPECT_TRUE(x.equal(at::ones({2})));
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

TEST(RunBatchesTest, RunsTheChosenBatchesInTheirOrder) {
  std::vector<Batch> batches;
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    batches.push_back({{at::full({1}, value)}, {}, ""});
  }
  const BatchReader reader = BatchReader::FromBatches(std::move(batches));
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  std::vector<size_t> done;
  NS_EXPECT_OK(RunBatches("float", model, reader, {2, 0},
                          [&](size_t count) { done.push_back(count); }));
  EXPECT_EQ(done, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(FirstBatches(3), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(FirstBatches(0).size(), 0);
}

}  // namespace
}  // namespace ns
