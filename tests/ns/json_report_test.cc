#include "ns/json_report.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/comparison_result.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ComparisonResult OneLayer() {
  ComparisonResult result;
  result.layers.resize(1);
  result.layers[0].name = "fc";
  return result;
}

TEST(JsonReportTest, WritesEmptyResult) {
  ComparisonResult result;
  result.float_path = "dir/float.pt";
  result.quantized_path = "q \"1\".pt";
  result.matching = "strict";
  EXPECT_EQ(ToJson(result), R"({
  "schema": "ns.compare/1",
  "float": "dir/float.pt",
  "quantized": "q \"1\".pt",
  "matching": "strict",
  "batches": 0,
  "layers": [],
  "unmatched": [],
  "not_shadowed": []
}
)");
}

TEST(JsonReportTest, WritesEveryField) {
  ComparisonResult result;
  result.float_path = "float.pt";
  result.quantized_path = "quantized.pt";
  result.matching = "aligned";
  result.batches = 2;
  LayerComparison layer;
  layer.name = "conv";
  layer.float_side = {
      "conv", false, "aten::conv2d", {"aten::conv2d", "aten::relu"}};
  layer.quantized_side = {
      "conv", true, "quantized::conv2d_relu", {"quantized::conv2d_relu"}};
  layer.output = "output";
  layer.weights = {{"weight", {8, 3, 1, 1}, {44.1, 0.006, 0.9999, 0.01}}};
  layer.activation = ActivationComparison{
      {2, 8}, {30.1, 0.03, 0.999, 0.2}, {30, 30.2}, {31.5, 29.5}};
  layer.shadow = ActivationComparison{{}, {kInfinity, 0, 1, 0}, {}, {}};
  result.layers.push_back(layer);
  result.unmatched = {{"float", "dropout", "aten::dropout", "no twin"}};
  result.not_shadowed = {{"add", "too new"}};
  EXPECT_EQ(ToJson(result), R"({
  "schema": "ns.compare/1",
  "float": "float.pt",
  "quantized": "quantized.pt",
  "matching": "aligned",
  "batches": 2,
  "layers": [
    {
      "name": "conv",
      "float": {
        "fqn": "conv",
        "op": "aten::conv2d",
        "subgraph": [
          "aten::conv2d",
          "aten::relu"
        ]
      },
      "quantized": {
        "fqn": "conv",
        "fqn_inferred": true,
        "op": "quantized::conv2d_relu",
        "subgraph": [
          "quantized::conv2d_relu"
        ]
      },
      "output": "output",
      "weight": [
        {
          "name": "weight",
          "shape": [8, 3, 1, 1],
          "sqnr_db": 44.1,
          "normalized_l2": 0.006,
          "cosine": 0.9999,
          "max_abs_error": 0.01
        }
      ],
      "activation": {
        "shape": [2, 8],
        "sqnr_db": 30.1,
        "normalized_l2": 0.03,
        "cosine": 0.999,
        "max_abs_error": 0.2,
        "batch_sqnr_db": [30.0, 30.2],
        "trips": [31.5, 29.5]
      },
      "shadow": {
        "shape": [],
        "sqnr_db": "inf",
        "normalized_l2": 0.0,
        "cosine": 1.0,
        "max_abs_error": 0.0,
        "batch_sqnr_db": []
      }
    }
  ],
  "unmatched": [
    {
      "model": "float",
      "fqn": "dropout",
      "op": "aten::dropout",
      "reason": "no twin"
    }
  ],
  "not_shadowed": [
    {
      "name": "add",
      "reason": "too new"
    }
  ]
}
)");
}

TEST(JsonReportTest, LeavesOutWhatDoesNotApply) {
  const std::string json = ToJson(OneLayer());
  for (const char* key : {R"("weight")", R"("activation")", R"("shadow")",
                          R"("output")", R"("trips")", R"("fqn_inferred")"}) {
    EXPECT_THAT(json, Not(HasSubstr(key)));
  }
}

TEST(JsonReportTest, WritesInfinitiesAndNanAsStrings) {
  ComparisonResult result = OneLayer();
  result.layers[0].activation = ActivationComparison{
      {1}, {-kInfinity, kNan, kNan, kInfinity}, {kInfinity, 1.5}, {}};
  const std::string json = ToJson(result);
  EXPECT_THAT(json, HasSubstr(R"("sqnr_db": "-inf")"));
  EXPECT_THAT(json, HasSubstr(R"("normalized_l2": "nan")"));
  EXPECT_THAT(json, HasSubstr(R"("max_abs_error": "inf")"));
  EXPECT_THAT(json, HasSubstr(R"("batch_sqnr_db": ["inf", 1.5])"));
}

TEST(JsonReportTest, WritesStubsWhereTheyWereAskedFor) {
  ComparisonResult result;
  EXPECT_THAT(ToJson(result), Not(HasSubstr("stubs")));
  result.stubs = {{"layer1.0",
                   "torchvision.BasicBlock",
                   "torchvision.QuantizableBasicBlock",
                   {{2, 8}, {30.5, 0.03, 0.999, 0.25}, {30, 31}, {}}}};
  EXPECT_THAT(ToJson(result), HasSubstr(R"(
  "stubs": [
    {
      "name": "layer1.0",
      "float_type": "torchvision.BasicBlock",
      "quantized_type": "torchvision.QuantizableBasicBlock",
      "shape": [2, 8],
      "sqnr_db": 30.5,
      "normalized_l2": 0.03,
      "cosine": 0.999,
      "max_abs_error": 0.25,
      "batch_sqnr_db": [30.0, 31.0]
    }
  ]
)"));
}

}  // namespace
}  // namespace ns
