#include "ns/quantization/accurate/held_back_batches.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Numbers = std::vector<int64_t>;

TEST(HeldBackBatchesTest, AreASixteenthOfThem) {
  EXPECT_EQ(HeldBackBatches(0), 0);
  EXPECT_EQ(HeldBackBatches(1), 0);
  EXPECT_EQ(HeldBackBatches(2), 1);
  EXPECT_EQ(HeldBackBatches(31), 1);
  EXPECT_EQ(HeldBackBatches(32), 2);
  EXPECT_EQ(HeldBackBatches(1000), 8);
}

TEST(HeldBackBatchesTest, AreSpreadEvenly) {
  EXPECT_THAT(SplitBatches(0).held_back, IsEmpty());
  EXPECT_THAT(SplitBatches(1).held_back, IsEmpty());
  EXPECT_THAT(SplitBatches(2).held_back, ElementsAre(1));
  EXPECT_THAT(SplitBatches(31).held_back, ElementsAre(30));
  EXPECT_THAT(SplitBatches(32).held_back, ElementsAre(15, 31));
  EXPECT_THAT(SplitBatches(1000).held_back,
              ElementsAre(124, 249, 374, 499, 624, 749, 874, 999));
}

TEST(HeldBackBatchesTest, TheOthersAreLearnedFrom) {
  EXPECT_THAT(SplitBatches(0).learned, IsEmpty());
  EXPECT_THAT(SplitBatches(1).learned, ElementsAre(0));
  EXPECT_THAT(SplitBatches(3).learned, ElementsAre(0, 1));
  const BatchSplit split = SplitBatches(40);
  Numbers all = split.learned;
  all.insert(all.end(), split.held_back.begin(), split.held_back.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, FirstBatches(40));
}

TEST(HeldBackBatchesTest, NumbersAreSpreadEvenly) {
  EXPECT_THAT(SpreadEvenly(Numbers{3, 5, 8, 9}, 2), ElementsAre(5, 9));
  EXPECT_THAT(SpreadEvenly(Numbers{3, 5, 8, 9}, 3), ElementsAre(3, 5, 9));
  EXPECT_THAT(SpreadEvenly(Numbers{3, 5}, 7), ElementsAre(3, 5));
  EXPECT_THAT(SpreadEvenly(Numbers{3, 5}, 0), IsEmpty());
  EXPECT_THAT(SpreadEvenly(Numbers{}, 4), IsEmpty());
}

TEST(HeldBackBatchesTest, AllBatchesAreObservedAndMeansAreOfTheFirst) {
  QuantizeOptions options = Everywhere(Int8PerTensorQConfig());
  options.methods.bias_correction = BiasCorrection::kFast;
  const ModelGraph prepared = OrThrow(PrepareModel(
      FloatModel({absl::StrCat("return ", ConvOf("x"))}), options));
  const BatchReader batches = BatchReader::FromBatches(
      BatchesOf({at::ones({1, 3, 8, 8}), at::full({1, 3, 8, 8}, 5.0F)}));
  int64_t done = 0;
  NS_ASSERT_OK(CalibrateHoldingBack(prepared, batches,
                                    [&](int64_t count) { done = count; }));
  EXPECT_EQ(done, 2);
  const auto means = AttachedMeans(prepared.module());
  ASSERT_EQ(means.size(), 1);
  EXPECT_EQ(means.begin()->second->Mean().max().item<double>(), 1);
  EXPECT_TRUE(means.begin()->second->is_enabled());
  const QuantizedModel quantized = OrThrow(ConvertModel(prepared, options));
  EXPECT_NEAR(quantized.report.layers[0].inputs[0].max, 5, 0.1);
}

}  // namespace
}  // namespace ns
