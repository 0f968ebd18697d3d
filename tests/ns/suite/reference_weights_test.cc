// What PyTorch's tests claim of extract_weights, of ours: the table in
// tests/README.md says which test is for which case.
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/suite/comparisons.h"
#include "ns/suite/numeric_suite.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/engines.h"
#include "tests/testing/fx_cases.h"
#include "tests/testing/results.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

using Layers = std::vector<std::string>;

// The least SQNR of int8 weights, and that of weights which differ in the
// rounding of a folded norm alone, in dB.
constexpr double kInt8 = 35;
constexpr double kRounding = 120;

Results Weights(const std::string& name, const std::string& stage_a,
                const std::string& stage_b) {
  MatchOptions options;
  options.mode = MatchingMode::kStrict;
  Results results = OrThrow(ExtractWeights("a", FxModel(name, stage_a), "b",
                                           FxModel(name, stage_b), options));
  ExpectComparable(results);
  return results;
}

// `layers` are the names with the prepared model as B, `quantized_layers` those
// with the quantized one.
void ExpectWeights(const std::string& name, const Layers& layers,
                   const Layers& quantized_layers) {
  const Results folded = Weights(name, "float", "prepared");
  EXPECT_THAT(LayersWith(folded, kWeightResult), ElementsAreArray(layers));
  EXPECT_GT(LowestSqnr(folded, kWeightResult), kRounding);
  const Results rounded = Weights(name, "prepared", "quantized");
  EXPECT_THAT(LayersWith(rounded, kWeightResult),
              ElementsAreArray(quantized_layers));
  EXPECT_GT(LowestSqnr(rounded, kWeightResult), kInt8);
}

void ExpectWeights(const std::string& name, const Layers& layers) {
  ExpectWeights(name, layers, layers);
}

const Layers& Fusions() {
  static const auto& layers =
      *new Layers{"d1.conv", "d1.conv_relu", "d1.conv_bn", "d1.conv_bn_relu",
                  "d2.conv", "d2.conv_relu", "d2.conv_bn", "d2.conv_bn_relu",
                  "linear",  "linear_relu"};
  return layers;
}

const Layers& Fusions3d() {
  static const auto& layers =
      *new Layers{"d3.conv", "d3.conv_relu", "d3.conv_bn", "d3.conv_bn_relu"};
  return layers;
}

class ReferenceWeightsTest : public EngineTest {
 protected:
  static bool HasConv3d() { return GetParam() != at::kQNNPACK; }
};
NS_INSTANTIATE_ON_ENGINES(ReferenceWeightsTest);

TEST_P(ReferenceWeightsTest, OfEveryModuleAloneAndFused) {
  ExpectWeights("fusions", Fusions());
  if (HasConv3d()) {
    ExpectWeights("fusions_3d", Fusions3d());
  }
}

// Convolutions that are trained with their norm are several ops; what scales
// the weight is folded into it once.
TEST_P(ReferenceWeightsTest, OfEveryModuleTrainedWithFakeQuantization) {
  ExpectWeights("fusions_qat", Fusions());
  if (HasConv3d()) {
    ExpectWeights("fusions_3d_qat", Fusions3d());
  }
}

TEST_P(ReferenceWeightsTest, OfLinearFunctions) {
  for (const char* name : {"linears_fun", "linears_fun_qat"}) {
    SCOPED_TRACE(name);
    ExpectWeights(name, {"linear", "linear@1"}, {"linear_relu", "linear"});
  }
}

TEST_P(ReferenceWeightsTest, OfConvolutionFunctions) {
  for (const std::string suffix : {"_fun", "_fun_qat"}) {
    SCOPED_TRACE(suffix);
    ExpectWeights("convs" + suffix,
                  {"conv1d", "conv1d@1", "conv2d", "conv2d@1"},
                  {"conv1d", "conv1d_relu", "conv2d", "conv2d_relu"});
    if (HasConv3d()) {
      ExpectWeights("convs_3d" + suffix, {"conv3d", "conv3d@1"},
                    {"conv3d", "conv3d_relu"});
    }
  }
}

TEST_P(ReferenceWeightsTest, OfDynamicModules) {
  ExpectWeights("linear_dynamic", {"0"});
}

TEST_P(ReferenceWeightsTest, HaveThePathOfTheirModule) {
  const Results results = Weights("nested_convs", "prepared", "quantized");
  EXPECT_THAT(LayersWith(results, kWeightResult), ElementsAre("0.0", "1"));
  for (const auto& [layer, types] : results.layers()) {
    for (const auto& [model, records] : types.at(kWeightResult)) {
      ASSERT_THAT(records, SizeIs(1));
      EXPECT_EQ(records[0].info.fqn, layer);
    }
  }
}

TEST_P(ReferenceWeightsTest, OfHalfPrecisionAreHalf) {
  ExpectWeights("linear_relu_half", {"linear"});
  const Results results = Weights("linear_relu_half", "prepared", "quantized");
  const ResultsByModel& models = results.Find("linear")->at(kWeightResult);
  EXPECT_EQ(models.at("a").at(0).values.at(0).scalar_type(), at::kFloat);
  EXPECT_EQ(models.at("b").at(0).values.at(0).scalar_type(), at::kHalf);
}

TEST_P(ReferenceWeightsTest, OfPlainFusedAndNormalizedConvolutions) {
  for (const char* name :
       {"torch_conv", "torch_conv_bn", "torch_conv_bn_relu"}) {
    SCOPED_TRACE(name);
    ExpectWeights(name, {"conv"});
  }
}

TEST_P(ReferenceWeightsTest, OfStaticAndDynamicLinears) {
  for (const char* name : {"torch_linear", "torch_linear_dynamic"}) {
    SCOPED_TRACE(name);
    ExpectWeights(name, {"fc1"});
  }
}

TEST_P(ReferenceWeightsTest, OfDynamicLstmAreInputAndHiddenWeights) {
  ExpectWeights("lstm_dynamic", {"lstm"});
  const Results results = Weights("lstm_dynamic", "prepared", "quantized");
  const ResultsByModel& models = results.Find("lstm")->at(kWeightResult);
  std::vector<std::string> parameters;
  for (const SingleResult& record : models.at("b")) {
    parameters.push_back(record.parameter);
  }
  EXPECT_THAT(parameters, ElementsAre("weight_ih_l0", "weight_hh_l0"));
}

TEST_P(ReferenceWeightsTest, TakeComparisonsByName) {
  Results results = Weights("two_convs", "prepared", "quantized");
  const std::vector<std::pair<std::string, Comparison>> comparisons = {
      {"sqnr_int8_vs_fp32", ComputeSqnr},
      {"l2_error_int8_vs_fp32", ComputeNormalizedL2Error},
      {"cosine_similarity_int8_vs_fp32", ComputeCosineSimilarity},
  };
  for (const auto& [name, comparison] : comparisons) {
    NS_ASSERT_OK(
        ExtendLoggerResultsWithComparison(results, "a", "b", comparison, name));
  }
  EXPECT_THAT(results.layers(), SizeIs(2));
  for (const auto& [layer, types] : results.layers()) {
    const ResultsByModel& models = types.at(kWeightResult);
    const SingleResult& a = models.at("a").at(0);
    const SingleResult& b = models.at("b").at(0);
    EXPECT_THAT(b.comparisons, SizeIs(3));
    for (const auto& [name, comparison] : comparisons) {
      EXPECT_THAT(
          b.comparisons.at(name),
          ElementsAre(OrThrow(comparison(a.values.at(0), b.values.at(0)))));
    }
  }
}

}  // namespace
}  // namespace ns
