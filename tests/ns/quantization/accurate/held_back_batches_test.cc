#include "ns/quantization/accurate/held_back_batches.h"

#include <ATen/Functions.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "passes/quantization/observe/prepared_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

TEST(HeldBackBatchesTest, AreASixteenthOfThem) {
  EXPECT_EQ(HeldBackBatches(0), 0);
  EXPECT_EQ(HeldBackBatches(1), 0);
  EXPECT_EQ(HeldBackBatches(2), 1);
  EXPECT_EQ(HeldBackBatches(31), 1);
  EXPECT_EQ(HeldBackBatches(32), 2);
  EXPECT_EQ(HeldBackBatches(1000), 8);
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
