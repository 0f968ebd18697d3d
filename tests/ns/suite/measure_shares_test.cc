#include "ns/suite/measure_shares.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "ns/batches/batch_reader.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"
#include "ns/suite/result_of_matches.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr int kSize = 4;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ActivationComparison Shadow(double sqnr_db,
                            std::vector<double> batch_sqnr_db = {}) {
  ActivationComparison shadow;
  shadow.error.sqnr_db = sqnr_db;
  shadow.batch_sqnr_db = std::move(batch_sqnr_db);
  return shadow;
}

// A batch that both models run, and one that neither can run.
Batch GoodBatch() {
  Batch batch;
  batch.arguments = {at::randn({16, kSize})};
  return batch;
}
Batch BadBatch() {
  Batch batch;
  batch.arguments = {at::randn({16, kSize + 1})};
  return batch;
}

// Models of linear layers "fc0", "fc1", ..., and a result with a layer for each
// match, whose shadows have 40 dB until a test sets other ones.
class MeasureSharesTest : public EngineTest {
 protected:
  // Makes models of `count` layers, which keep the size of their inputs. The
  // quantized ones have the same weights.
  void Make(int count) {
    Submodules of_float;
    Submodules of_quantized = {{"quant", Quantize()}};
    std::vector<std::string> lines;
    for (int i = 0; i < count; ++i) {
      const std::string name = absl::StrCat("fc", i);
      const at::Tensor weight =
          at::eye(kSize) + 0.1 * at::randn({kSize, kSize});
      of_float.emplace_back(name, Linear(weight));
      of_quantized.emplace_back(
          name, QuantizedLinear(i == 0 && first_ ? *first_ : weight, false));
      lines.push_back(absl::StrCat("x = self.", name, ".forward(x)"));
    }
    of_quantized.emplace_back("dequant", DeQuantize());
    std::vector<std::string> float_lines = lines;
    float_lines.push_back("return x");
    std::vector<std::string> quantized_lines = lines;
    quantized_lines.insert(quantized_lines.begin(),
                           "x = self.quant.forward(x)");
    quantized_lines.push_back("return self.dequant.forward(x)");
    float_ = std::make_unique<ModelGraph>(
        OrThrow(ModelGraph::FromModule(MakeModel(of_float, float_lines))));
    quantized_ = std::make_unique<ModelGraph>(OrThrow(
        ModelGraph::FromModule(MakeModel(of_quantized, quantized_lines))));
    matched_ = OrThrow(MatchSubgraphs(*float_, *quantized_));
    result_ = OrThrow(
        ResultOfMatches(*float_, *quantized_, matched_, MatchOptions()));
    result_.batches = 1;
    for (LayerComparison& layer : result_.layers) {
      layer.shadow = Shadow(40);
    }
  }

  absl::Status Measure(std::vector<Batch> batches,
                       const CompareOptions& options = {}) {
    return MeasureShares(*float_, *quantized_, matched_,
                         BatchReader::FromBatches(std::move(batches)), options,
                         result_);
  }

  LayerComparison& Layer(const std::string& name) {
    for (LayerComparison& layer : result_.layers) {
      if (layer.name == name) {
        return layer;
      }
    }
    throw std::invalid_argument(name);
  }

  // Whether the layer "fc0" is measured where it is set to `layer`.
  bool IsMeasured() {
    NS_EXPECT_OK(Measure({GoodBatch()}));
    return Layer("fc0").measured_shares.has_value();
  }

  // The weight of the first quantized layer, where it is another one.
  std::optional<at::Tensor> first_;
  std::unique_ptr<ModelGraph> float_;
  std::unique_ptr<ModelGraph> quantized_;
  MatchResult matched_;
  ComparisonResult result_;
};

TEST_P(MeasureSharesTest, AWrongWeightHasTheErrorOfItsLayer) {
  first_ = at::randn({kSize, kSize});
  Make(1);
  Layer("fc0").shadow = Shadow(3);
  NS_ASSERT_OK(Measure({GoodBatch()}));
  const PartShares shares = Layer("fc0").measured_shares.value();
  EXPECT_NEAR(shares.weight.value(), 1, 0.2);
  EXPECT_LT(shares.activation.value(), 0.2);
}

TEST_P(MeasureSharesTest, RoundingHasTheErrorWhereTheWeightIsRight) {
  Make(1);
  Layer("fc0").shadow = Shadow(3);
  NS_ASSERT_OK(Measure({GoodBatch()}));
  const PartShares shares = Layer("fc0").measured_shares.value();
  EXPECT_LT(shares.weight.value(), 0.5);
  EXPECT_GT(shares.activation.value(), 0.5);
}

TEST_P(MeasureSharesTest, MeasuresBelow30DbOnly) {
  Make(2);
  Layer("fc0").shadow = Shadow(kGoodLocalDb);
  Layer("fc1").shadow = Shadow(kGoodLocalDb - 0.1);
  NS_ASSERT_OK(Measure({GoodBatch()}));
  EXPECT_FALSE(Layer("fc0").measured_shares.has_value());
  EXPECT_TRUE(Layer("fc1").measured_shares.has_value());
}

TEST_P(MeasureSharesTest, KeepsALayerWhenItsShadowIsNotFinite) {
  for (const double db : {-kInfinity, kInfinity, kNan}) {
    Make(1);
    Layer("fc0").shadow = Shadow(db);
    EXPECT_FALSE(IsMeasured()) << db;
  }
}

TEST_P(MeasureSharesTest, KeepsALayerWhenItHasNoShadow) {
  Make(1);
  Layer("fc0").shadow.reset();
  EXPECT_FALSE(IsMeasured());
}

TEST_P(MeasureSharesTest, KeepsALayerWhenItsInputIsUnpaired) {
  Make(1);
  Layer("fc0").shadow = Shadow(3);
  Layer("fc0").unpaired_input = "only the float model has a relu before it";
  EXPECT_FALSE(IsMeasured());
}

TEST_P(MeasureSharesTest, KeepsALayerWhenNoBatchRan) {
  Make(1);
  Layer("fc0").shadow = Shadow(3);
  result_.batches = 0;
  EXPECT_FALSE(IsMeasured());
}

TEST_P(MeasureSharesTest, RunsTheWorstBatchOfTheWorstLayer) {
  Make(2);
  result_.batches = 2;
  Layer("fc0").shadow = Shadow(20, {10, 25});
  Layer("fc1").shadow = Shadow(15, {25, 14});
  NS_EXPECT_OK(Measure({BadBatch(), GoodBatch()}));
  EXPECT_TRUE(Layer("fc0").measured_shares.has_value());
  EXPECT_TRUE(Layer("fc1").measured_shares.has_value());
}

TEST_P(MeasureSharesTest, RunsTheFirstBatchWhenTheLayerDidNotRunInEach) {
  Make(1);
  result_.batches = 3;
  Layer("fc0").shadow = Shadow(15, {25, 14});
  NS_EXPECT_OK(Measure({GoodBatch(), BadBatch(), BadBatch()}));
  EXPECT_TRUE(Layer("fc0").measured_shares.has_value());
}

TEST_P(MeasureSharesTest, WhatElseIsComparedDoesNotMatter) {
  first_ = at::randn({kSize, kSize});
  Make(1);
  Layer("fc0").shadow = Shadow(3);
  const std::vector<Batch> batches = {GoodBatch()};
  NS_ASSERT_OK(Measure(batches));
  const PartShares plain = Layer("fc0").measured_shares.value();
  CompareOptions options;
  options.activations = false;
  options.shadows = true;
  options.kernels = true;
  options.worst_channels = 3;
  NS_ASSERT_OK(Measure(batches, options));
  const PartShares shares = Layer("fc0").measured_shares.value();
  EXPECT_EQ(shares.weight, plain.weight);
  EXPECT_EQ(shares.activation, plain.activation);
}

NS_INSTANTIATE_ON_ENGINES(MeasureSharesTest);

}  // namespace
}  // namespace ns
