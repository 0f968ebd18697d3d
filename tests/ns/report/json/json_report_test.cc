#include "ns/report/json/json_report.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/report/json/compared_values.h"

namespace ns {
namespace {

using ::testing::AllOf;
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
  layer.quantized_side.source = SourceLine{"/a/net.py", 12};
  layer.output = "output";
  layer.weights = {{"weight", {8, 3, 1, 1}, {44.1, 0.006, 0.9999, 0.01}}};
  layer.activation =
      Figures({2, 8}, {30.1, 0.03, 0.999, 0.2}, {30, 30.2}, {31.5, 29.5});
  layer.shadow = Figures({}, {kInfinity, 0, 1, 0}, {});
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
      "source": {
        "quantized": {
          "file": "/a/net.py",
          "line": 12
        }
      },
      "output": "output",
      "weight": [
        {
          "name": "weight",
          "shape": [8, 3, 1, 1],
          "sqnr_db": 44.1,
          "normalized_l2": 0.006,
          "cosine": 0.9999,
          "max_abs_error": 0.01,
          "mean_error": 0.0,
          "bias_share": 0.0
        }
      ],
      "activation": {
        "shape": [2, 8],
        "sqnr_db": 30.1,
        "normalized_l2": 0.03,
        "cosine": 0.999,
        "max_abs_error": 0.2,
        "mean_error": 0.0,
        "bias_share": 0.0,
        "batch_sqnr_db": [30.0, 30.2],
        "trips": [31.5, 29.5]
      },
      "shadow": {
        "shape": [],
        "sqnr_db": "inf",
        "normalized_l2": 0.0,
        "cosine": 1.0,
        "max_abs_error": 0.0,
        "mean_error": 0.0,
        "bias_share": 0.0,
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
  ],
  "verdict": {
    "kind": "none",
    "cause": "none",
    "sentences": [
      "No layer stands out: the lowest weight SQNR is 44.1 dB, of conv."
    ]
  }
}
)");
}

TEST(JsonReportTest, LeavesOutWhatDoesNotApply) {
  const std::string json = ToJson(OneLayer());
  for (const char* key :
       {R"("weight")", R"("activation")", R"("shadow")", R"("inherited")",
        R"("weight_only")", R"("activation_only")", R"("kernel")", R"("error")",
        R"("output")", R"("fqn_inferred")", R"("worst_offender")",
        R"("first_unexplained_fall")", R"("unpaired_input")"}) {
    EXPECT_THAT(json, Not(HasSubstr(key)));
  }
}

TEST(JsonReportTest, WritesInfinitiesAndNanAsStrings) {
  ComparisonResult result = OneLayer();
  result.layers[0].activation =
      Figures({1}, {-kInfinity, kNan, kNan, kInfinity}, {kInfinity, 1.5});
  const std::string json = ToJson(result);
  EXPECT_THAT(json, HasSubstr(R"("sqnr_db": "-inf")"));
  EXPECT_THAT(json, HasSubstr(R"("normalized_l2": "nan")"));
  EXPECT_THAT(json, HasSubstr(R"("max_abs_error": "inf")"));
  EXPECT_THAT(json, HasSubstr(R"("batch_sqnr_db": ["inf", 1.5])"));
}

TEST(JsonReportTest, NamesTheWorstOffenderAndTheFirstUnexplainedFall) {
  ComparisonResult result = OneLayer();
  result.layers.resize(2);
  result.layers[1].name = "out";
  result.layers[0].activation = Figures({1}, {30, 0, 1, 0}, {30});
  result.layers[0].shadow = Figures({1}, {kInfinity, 0, 1, 0}, {});
  result.layers[1].activation = Figures({1}, {9.5, 0, 1, 0}, {9.5});
  result.layers[1].shadow = Figures({1}, {kInfinity, 0, 1, 0}, {});
  result.layers[1].producers = {0};
  EXPECT_THAT(ToJson(result), HasSubstr(R"(
  "not_shadowed": [],
  "first_unexplained_fall": {
    "name": "out",
    "accumulated_db": 9.5,
    "expected_db": 30.0
  },
)"));
  result.layers[1].shadow->error.sqnr_db = 8.75;
  EXPECT_THAT(ToJson(result), HasSubstr(R"(
  "not_shadowed": [],
  "worst_offender": {
    "name": "out",
    "local_db": 8.75
  },
)"));
}

TEST(JsonReportTest, WritesTheVerdict) {
  ComparisonResult result = OneLayer();
  result.layers[0].weights = {{"weight", {1}, {-3, 0, 0, 1}}};
  result.layers[0].has_weight_of = "head";
  result.float_path = "f.pt";
  EXPECT_THAT(ToJson(result), HasSubstr(R"(
  "verdict": {
    "layer": "fc",
    "kind": "swapped",
    "cause": "swapped",
    "culprits": [
      "fc"
    ],
    "sentences": [
      "fc is to blame: it has the weight of head."
    ],
    "cure": {
      "sentence": "quantize the float model again",
      "command": "ns quantize --float=f.pt --inputs=INPUTS.pt --out=mended.pt"
    }
  }
}
)"));
}

TEST(JsonReportTest, WritesWhereItRanAndTheGraphsWhereAskedFor) {
  ComparisonResult result;
  EXPECT_THAT(ToJson(result), Not(HasSubstr("graph")));
  result.processor = "A processor";
  result.engine = "onednn";
  result.files = {{"f.pt", "00ff"}};
  result.graphs.emplace();
  EXPECT_THAT(ToJson(result), AllOf(HasSubstr(R"(
  "processor": "A processor",
  "engine": "onednn",
  "files": [
    {
      "path": "f.pt",
      "sha256": "00ff"
    }
  ],
)"),
                                    HasSubstr(R"(
  "graph": {
    "float": {
      "nodes": [],
      "edges": []
    },)")));
}

TEST(JsonReportTest, WritesOtherOutputsAndNamesThemWhereTheyDecide) {
  ComparisonResult result = OneLayer();
  EXPECT_THAT(ToJson(result), Not(HasSubstr("outputs")));
  LayerComparison& layer = result.layers[0];
  layer.activation = Figures({5}, {30, 0, 1, 0}, {30});
  layer.shadow = Figures({5}, {40, 0, 1, 0}, {40});
  OutputComparison output;
  output.index = 2;
  output.name = "c_n";
  output.activation = Figures({2, 3}, {20, 0.25, 0.5, 1}, {20, 21});
  output.shadow = Figures({2, 3}, {25, 0.5, 0.75, 0.5}, {25, 26});
  output.inherited = ErrorFigures{22, 0.125, 0.5, 0.75};
  layer.outputs = {output};
  const std::string json = ToJson(result);
  EXPECT_THAT(json, HasSubstr(R"(
      "outputs": [
        {
          "index": 2,
          "name": "c_n",
          "activation": {
            "shape": [2, 3],
            "sqnr_db": 20.0,)"));
  EXPECT_THAT(json, HasSubstr(R"(
          "shadow": {
            "shape": [2, 3],
            "sqnr_db": 25.0,)"));
  EXPECT_THAT(json, HasSubstr(R"(
          "inherited": {
            "sqnr_db": 22.0,)"));
  EXPECT_THAT(json, HasSubstr(R"(
  "worst_offender": {
    "name": "fc",
    "output": "c_n",
    "local_db": 25.0
  })"));
  layer.outputs[0].shadow.reset();
  layer.outputs[0].inherited.reset();
  const std::string shorter = ToJson(result);
  EXPECT_THAT(shorter, HasSubstr(R"(
  "worst_offender": {
    "name": "fc",
    "local_db": 40.0
  })"));
  EXPECT_THAT(shorter, Not(HasSubstr("\"inherited\"")));
}

TEST(JsonReportTest, NamesTheOutputThatFallsFirst) {
  ComparisonResult result = OneLayer();
  result.layers.resize(2);
  result.layers[0].activation = Figures({1}, {30, 0, 1, 0}, {30});
  result.layers[0].shadow = Figures({1}, {kInfinity, 0, 1, 0}, {});
  LayerComparison& layer = result.layers[1];
  layer.name = "out";
  layer.activation = Figures({1}, {30, 0, 1, 0}, {30});
  layer.shadow = Figures({1}, {kInfinity, 0, 1, 0}, {});
  layer.producers = {0};
  OutputComparison output;
  output.index = 1;
  output.name = "h_n";
  output.activation = Figures({1}, {9.5, 0, 1, 0}, {9.5});
  output.shadow = Figures({1}, {kInfinity, 0, 1, 0}, {});
  layer.outputs = {output};
  EXPECT_THAT(ToJson(result), HasSubstr(R"(
  "first_unexplained_fall": {
    "name": "out",
    "output": "h_n",
    "accumulated_db": 9.5,
    "expected_db": 30.0
  })"));
}

TEST(JsonReportTest, WritesOtherOutputsOfStubs) {
  ComparisonResult result;
  result.stubs = {{"rnn", "LSTM", "QuantizedLSTM",
                   Figures({5}, {30.5, 0.03, 0.999, 0.25}, {30})}};
  EXPECT_THAT(ToJson(result), Not(HasSubstr("outputs")));
  (*result.stubs)[0].outputs = {
      {2, "c_n", Figures({4}, {20.5, 0.5, 0.75, 0.25}, {20})}};
  EXPECT_THAT(ToJson(result), HasSubstr(R"(
      "outputs": [
        {
          "index": 2,
          "name": "c_n",
          "shape": [4],
          "sqnr_db": 20.5,)"));
}

TEST(JsonReportTest, WritesStubsWhereTheyWereAskedFor) {
  ComparisonResult result;
  EXPECT_THAT(ToJson(result), Not(HasSubstr("stubs")));
  result.stubs = {{"layer1.0", "torchvision.BasicBlock",
                   "torchvision.QuantizableBasicBlock",
                   Figures({2, 8}, {30.5, 0.03, 0.999, 0.25}, {30, 31})}};
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
      "mean_error": 0.0,
      "bias_share": 0.0,
      "batch_sqnr_db": [30.0, 31.0]
    }
  ]
)"));
}

TEST(JsonReportTest, WritesOutputsWhereTheyWereAskedFor) {
  ComparisonResult result;
  EXPECT_THAT(ToJson(result), Not(HasSubstr("outputs")));
  const ActivationComparison figures =
      Figures({2, 8}, {30.5, 0.03, 0.999, 0.25}, {30, 31});
  result.outputs = {{"fc", "my.Linear", "my.QuantizedLinear", figures},
                    {"output[1]", "", "", figures},
                    {"output[2]", "", "", figures, true}};
  const std::string json = ToJson(result);
  EXPECT_THAT(json, HasSubstr(R"(
  "outputs": [
    {
      "name": "fc",
      "float_type": "my.Linear",
      "quantized_type": "my.QuantizedLinear",
      "shape": [2, 8],
)"));
  EXPECT_THAT(json, HasSubstr(R"(
    {
      "name": "output[1]",
      "shape": [2, 8],
      "sqnr_db": 30.5,
)"));
  EXPECT_THAT(json, HasSubstr(R"(
      "name": "output[2]",
      "integers": true,
      "shape": [2, 8],
)"));
}

}  // namespace
}  // namespace ns
