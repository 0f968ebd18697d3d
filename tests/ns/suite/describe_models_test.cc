#include "ns/suite/describe_models.h"

#include <ATen/Functions.h>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

const LayerComparison& LayerOf(const ComparisonResult& result,
                               absl::string_view name) {
  return *absl::c_find_if(
      result.layers, [&](const LayerComparison& l) { return l.name == name; });
}

// A linear layer that is quantized, and another that stayed in float.
class DescribeModelsTest : public testing::Test {
 protected:
  DescribeModelsTest()
      : a_(OrThrow(ModelGraph::FromModule(
            MakeModel({{"fc", Linear(weight_)}, {"head", Linear(weight_)}},
                      {"return self.head.forward(self.fc.forward(x))"})))),
        b_(OrThrow(ModelGraph::FromModule(
            MakeModel({{"quant", Quantize()},
                       {"fc", QuantizedLinear(weight_, false)},
                       {"dequant", DeQuantize()},
                       {"head", Linear(weight_)}},
                      {"x = self.fc.forward(self.quant.forward(x))",
                       "return self.head.forward(self.dequant.forward(x))"})))),
        matches_(OrThrow(MatchSubgraphs(a_, b_))) {}

  absl::StatusOr<ComparisonResult> Describe(const CompareOptions& options) {
    return DescribeModels(a_, b_, matches_, options);
  }

  const at::Tensor weight_ = at::randn({6, 6});
  const ModelGraph a_;
  const ModelGraph b_;
  const MatchResult matches_;
};

TEST_F(DescribeModelsTest, ALayerHasItsFactsButNoFigures) {
  const ComparisonResult result = OrThrow(Describe({}));
  ASSERT_THAT(result.layers, SizeIs(matches_.matches.size()));
  const LayerComparison& fc = LayerOf(result, "fc");
  EXPECT_EQ(fc.runs_in, RunsIn::kInt8);
  EXPECT_TRUE(fc.qparams.has_value());
  EXPECT_FALSE(fc.activation.has_value());
  EXPECT_FALSE(fc.shadow.has_value());
  EXPECT_FALSE(result.has_activations);
}

TEST_F(DescribeModelsTest, WhatStayedInFloatIsTold) {
  const ComparisonResult result = OrThrow(Describe({}));
  ASSERT_THAT(result.coverage->stayed_float, SizeIs(1));
  EXPECT_EQ(result.coverage->stayed_float[0].name, "head");
}

TEST_F(DescribeModelsTest, GraphsAndWeightsAreThereWhereTheyWereAskedFor) {
  CompareOptions options;
  options.weights = false;
  options.graphs = false;
  ComparisonResult result = OrThrow(Describe(options));
  EXPECT_THAT(LayerOf(result, "fc").weights, IsEmpty());
  EXPECT_FALSE(result.graphs.has_value());
  options.weights = true;
  options.graphs = true;
  result = OrThrow(Describe(options));
  ASSERT_THAT(LayerOf(result, "fc").weights, SizeIs(1));
  EXPECT_TRUE(result.graphs.has_value());
}

TEST_F(DescribeModelsTest, TheUsersCheckSeesAllOfItAndCanRefuse) {
  CompareOptions options;
  options.check_matches = [](const ComparisonResult& result) {
    EXPECT_THAT(result.coverage->stayed_float, SizeIs(1));
    return absl::InvalidArgumentError("too much stayed in float");
  };
  EXPECT_EQ(MessageOf(Describe(options)), "too much stayed in float");
}

}  // namespace
}  // namespace ns
