#include "ns/batches/batch.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(BatchTest, IsCalledByItsSourceOrItsPlace) {
  Batch batch;
  EXPECT_EQ(BatchName(batch, 3), "batch 3");
  batch.source = "inputs.pt: batch 1";
  EXPECT_EQ(BatchName(batch, 3), "inputs.pt: batch 1");
}

// The rows are views of one storage, as torch.save keeps them.
TEST(BatchTest, CopiesHaveAllTensors) {
  const at::Tensor x = at::rand({3, 2});
  Batch batch{{x.unbind()}, {{"rows", x.unbind()}}};
  const Batch copy = Copied(batch);
  for (int64_t i = 0; i < 3; ++i) {
    const auto at = static_cast<size_t>(i);
    EXPECT_TRUE(copy.arguments[0].toTensorVector()[at].equal(x[i]));
    EXPECT_TRUE(copy.keywords.at("rows").toTensorVector()[at].equal(x[i]));
  }
}

TEST(BatchTest, SamplesAreTheFirstDimensionOfTheFirstTensor) {
  EXPECT_EQ(SamplesOf({{3, at::ones({}), at::ones({5, 2}), at::ones({7})}, {}}),
            5);
  EXPECT_EQ(SamplesOf({{}, {{"x", at::ones({4, 2})}, {"y", at::ones({1})}}}),
            4);
  EXPECT_EQ(SamplesOf({{3, at::ones({})}, {}}), 1);
}

TEST(BatchTest, FirstSamplesNarrowWhatHasAsMany) {
  const at::Tensor x = at::rand({5, 2});
  const at::Tensor state = at::rand({1, 5});
  const Batch batch{{x, state, 3}, {{"mask", at::ones({5})}}, "a.pt"};
  const Batch first = FirstSamples(batch, 2);
  EXPECT_TRUE(first.arguments[0].toTensor().equal(x.slice(0, 0, 2)));
  EXPECT_TRUE(first.arguments[1].toTensor().equal(state));
  EXPECT_EQ(first.arguments[2].toInt(), 3);
  EXPECT_EQ(first.keywords.at("mask").toTensor().size(0), 2);
  EXPECT_EQ(first.source, "a.pt");
  EXPECT_EQ(batch.arguments[0].toTensor().size(0), 5);
  EXPECT_EQ(FirstSamples(batch, 9).arguments[0].toTensor().size(0), 5);
}

}  // namespace
}  // namespace ns
