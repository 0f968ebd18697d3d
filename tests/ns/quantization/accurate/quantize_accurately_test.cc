#include "ns/quantization/accurate/quantize_accurately.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/output_error.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kNet = {
    "y = torch.conv2d(x, self.w2, self.b)",
    "return torch.conv2d(y, self.w2, self.b)"};

// Weights with 3 bits, and activations, too, if asked for: rounding them shifts
// the outputs much.
QuantizeOptions Coarse(BiasCorrection correction = BiasCorrection::kFast,
                       bool coarse_activations = false) {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.weight.config.quant_min = -4;
  qconfig.weight.config.quant_max = 3;
  if (coarse_activations) {
    qconfig.activation.config.quant_min = 0;
    qconfig.activation.config.quant_max = 7;
  }
  QuantizeOptions options = Everywhere(qconfig);
  options.methods.bias_correction = correction;
  return options;
}

class QuantizeAccuratelyTest : public ::testing::Test {
 protected:
  QuantizeAccuratelyTest() { at::manual_seed(4); }

  // Batches around `means`, one for each.
  static BatchReader Around(const std::vector<double>& means,
                            double deviation = 0.3) {
    std::vector<at::Tensor> batches;
    for (const double mean : means) {
      batches.push_back(at::randn({8, 3, 8, 8}) * deviation + mean);
    }
    return BatchReader::FromBatches(BatchesOf(batches));
  }

  static QuantizedModel Quantized(const BatchReader& batches,
                                  const QuantizeOptions& options) {
    const ModelGraph model = FloatModel(kNet);
    const ModelGraph prepared = OrThrow(PrepareModel(model, options));
    NS_EXPECT_OK(CalibrateHoldingBack(prepared, batches));
    return OrThrow(ConvertKeepingWhatHelps(model, prepared, batches, options));
  }

  static double OutputOf(const QuantizedModel& quantized,
                         const BatchReader& batches) {
    return OrThrow(
               MeasureOutputErrors(FloatModel(kNet), quantized.model, batches))
        .outputs.at(0)
        .sqnr_db;
  }
};

TEST_F(QuantizeAccuratelyTest, CorrectedBiasesHelpWhereMeansAreNotZero) {
  const BatchReader batches = Around({2, 2, 2, 2});
  const QuantizedModel plain =
      Quantized(batches, Coarse(BiasCorrection::kNone));
  const QuantizedModel corrected = Quantized(batches, Coarse());
  EXPECT_THAT(plain.report.tried, IsEmpty());
  ASSERT_EQ(corrected.report.tried.size(), 2);
  const BatchReader others = Around({2, 2});
  EXPECT_GT(OutputOf(corrected, others), OutputOf(plain, others) + 3);
  const TriedMethod& first = corrected.report.tried[0];
  EXPECT_EQ(first.method, "bias correction");
  EXPECT_EQ(first.layer, corrected.report.layers[0].name);
  EXPECT_TRUE(first.IsKept());
  EXPECT_GT(first.with_db, first.without_db + 3);
  EXPECT_TRUE(corrected.report.layers[0].has_corrected_bias);
  ExpectNeedsLibTorchOnly(corrected.model);
}

// What is held back is unlike what the means were gathered of.
TEST_F(QuantizeAccuratelyTest, WhatDoesNotHelpIsNotKept) {
  const BatchReader batches = Around({2, 2, 2, -2});
  const QuantizedModel plain =
      Quantized(batches, Coarse(BiasCorrection::kNone));
  const QuantizedModel tried = Quantized(batches, Coarse());
  ASSERT_EQ(tried.report.tried.size(), 2);
  EXPECT_EQ(tried.report.tried[0].reason, "it gains nothing");
  EXPECT_LT(tried.report.tried[0].with_db, tried.report.tried[0].without_db);
  EXPECT_FALSE(tried.report.layers[0].has_corrected_bias);
  EXPECT_GE(OutputOf(tried, Around({-2})), OutputOf(plain, Around({-2})) - 0.1);
}

// Only the correction layer by layer makes up for activations that are nearly
// all rounded to the same side.
TEST_F(QuantizeAccuratelyTest, TheBetterCorrectionOfALayerIsKept) {
  const BatchReader batches = Around({1, 1, 1, 1}, 0.03);
  const BatchReader others = Around({1, 1}, 0.03);
  for (const bool coarse : {false, true}) {
    const auto db_of = [&](BiasCorrection correction) {
      return OutputOf(Quantized(batches, Coarse(correction, coarse)), others);
    };
    EXPECT_GE(db_of(BiasCorrection::kBest),
              db_of(BiasCorrection::kFast) + (coarse ? 3 : -0.01));
  }
  const QuantizedModel best = Quantized(
      batches, Coarse(BiasCorrection::kBest, /*coarse_activations=*/true));
  std::map<std::string, int> kept;
  bool is_replaced = false;
  for (const TriedMethod& tried : best.report.tried) {
    kept[tried.layer] += tried.IsKept() ? 1 : 0;
    is_replaced |= tried.method == "bias correction" &&
                   tried.reason == "another way gains more";
  }
  EXPECT_EQ(kept.size(), 2);
  for (const auto& [layer, count] : kept) {
    EXPECT_LE(count, 1) << layer;
  }
  EXPECT_TRUE(is_replaced);
}

// Nor is it where each layer is corrected behind those before it.
TEST_F(QuantizeAccuratelyTest, SequentialShiftsThatDoNotHelpAreNotKept) {
  const QuantizeOptions options = Coarse(BiasCorrection::kSequential);
  const QuantizedModel helped = Quantized(Around({2, 2, 2, 2}), options);
  ASSERT_EQ(helped.report.tried.size(), 2);
  EXPECT_TRUE(helped.report.tried[0].IsKept());
  EXPECT_GT(helped.report.tried[0].with_db,
            helped.report.tried[0].without_db + 3);
  const QuantizedModel worse = Quantized(Around({2, 2, 2, -2}), options);
  ASSERT_EQ(worse.report.tried.size(), 2);
  for (const TriedMethod& tried : worse.report.tried) {
    EXPECT_FALSE(tried.IsKept()) << tried.layer;
  }
  EXPECT_FALSE(worse.report.layers[0].has_corrected_bias);
}

TEST_F(QuantizeAccuratelyTest, AdaptiveRoundingHelpsOnOtherBatches) {
  QuantizeOptions options = Coarse(BiasCorrection::kNone);
  options.methods.rounding_steps = 1000;
  const QuantizedModel helped = Quantized(Around({2, 2, 2, 2}), options);
  ASSERT_FALSE(helped.report.tried.empty());
  EXPECT_TRUE(helped.report.tried[0].IsKept());
  EXPECT_GT(helped.report.tried[0].with_db,
            helped.report.tried[0].without_db + 3);
  const QuantizedModel plain =
      Quantized(Around({2, 2, 2, 2}), Coarse(BiasCorrection::kNone));
  const BatchReader others = Around({2, 2});
  EXPECT_GT(OutputOf(helped, others), OutputOf(plain, others) + 2);
}

// Sums of weights are all that matters while images have one colour each. The
// rounding that suits them is worse than the nearest on noise, which is held
// back.
TEST_F(QuantizeAccuratelyTest, AdaptiveRoundingThatDoesNotHelpIsNotKept) {
  std::vector<at::Tensor> batches;
  for (int i = 0; i < 3; ++i) {
    batches.push_back(at::full({8, 3, 8, 8}, 2) +
                      0.01 * at::randn({8, 3, 8, 8}));
  }
  batches.push_back(2 * at::randn({8, 3, 8, 8}));
  const BatchReader reader = BatchReader::FromBatches(BatchesOf(batches));
  QuantizeOptions options = Coarse(BiasCorrection::kNone);
  options.methods.rounding_steps = 1000;
  const QuantizedModel tried = Quantized(reader, options);
  ASSERT_FALSE(tried.report.tried.empty());
  for (const TriedMethod& method : tried.report.tried) {
    EXPECT_FALSE(method.IsKept()) << method.layer;
    EXPECT_EQ(method.reason, "it gains nothing");
    EXPECT_LT(method.with_db, method.without_db);
  }
  const QuantizedModel plain = Quantized(reader, Coarse(BiasCorrection::kNone));
  const BatchReader others =
      BatchReader::FromBatches(BatchesOf({2 * at::randn({8, 3, 8, 8})}));
  EXPECT_EQ(OutputOf(tried, others), OutputOf(plain, others));
}

TEST_F(QuantizeAccuratelyTest, OneBatchLeavesNothingToSeeWhetherItHelps) {
  const BatchReader batches = Around({2});
  const QuantizedModel quantized = Quantized(batches, Coarse());
  EXPECT_THAT(quantized.report.tried, IsEmpty());
  EXPECT_THAT(quantized.report.warnings,
              ElementsAre(HasSubstr("there is one batch")));
  EXPECT_FALSE(quantized.report.layers[0].has_corrected_bias);
  EXPECT_EQ(BatchesToMeasure(Coarse(), batches), 0);
}

TEST_F(QuantizeAccuratelyTest, ProgressCountsTheRunsOfBatchesHeldBack) {
  const BatchReader batches = Around({2, 2, 2, 2});
  const ModelGraph model = FloatModel(kNet);
  const ModelGraph prepared = OrThrow(PrepareModel(model, Coarse()));
  NS_ASSERT_OK(CalibrateHoldingBack(prepared, batches));
  std::vector<int64_t> counts;
  OrThrow(
      ConvertKeepingWhatHelps(model, prepared, batches, Coarse(),
                              [&](int64_t done) { counts.push_back(done); }));
  EXPECT_THAT(counts, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(BatchesToMeasure(Coarse(), batches), 4);
}

// No batch fits the other model.
TEST_F(QuantizeAccuratelyTest, WhatCannotBeMeasuredIsNotKept) {
  const BatchReader batches = Around({2, 2, 2, 2});
  const ModelGraph prepared = OrThrow(PrepareModel(FloatModel(kNet), Coarse()));
  NS_ASSERT_OK(CalibrateHoldingBack(prepared, batches));
  const QuantizedModel quantized = OrThrow(ConvertKeepingWhatHelps(
      FloatModel({absl::StrCat("return ", LinearOf("x[0]"))}), prepared,
      batches, Coarse()));
  EXPECT_THAT(quantized.report.warnings,
              ElementsAre(HasSubstr("it cannot be measured what helps: ")));
  EXPECT_FALSE(quantized.report.layers[0].has_corrected_bias);
}

TEST_F(QuantizeAccuratelyTest, LayersWithoutAWeightNeedNoMeasurement) {
  const BatchReader batches = Around({2, 2});
  const ModelGraph model = FloatModel({"return x + x"});
  const ModelGraph prepared = OrThrow(PrepareModel(model, Coarse()));
  NS_ASSERT_OK(CalibrateHoldingBack(prepared, batches));
  int64_t runs = 0;
  const QuantizedModel quantized = OrThrow(ConvertKeepingWhatHelps(
      model, prepared, batches, Coarse(), [&](int64_t) { ++runs; }));
  EXPECT_EQ(runs, 0);
  EXPECT_THAT(quantized.report.tried, IsEmpty());
}

TEST_F(QuantizeAccuratelyTest, CompatCorrectsNothing) {
  QuantizeOptions options = Coarse();
  options.compat = true;
  const QuantizedModel quantized = Quantized(Around({2, 2, 2, 2}), options);
  EXPECT_THAT(quantized.report.tried, IsEmpty());
}

}  // namespace
}  // namespace ns
