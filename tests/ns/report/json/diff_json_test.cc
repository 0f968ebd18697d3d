#include "ns/report/json/diff_json.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

TEST(DiffJsonTest, WritesEveryField) {
  LayerComparison a = Layer("lstm", 30, {40});
  a.outputs = {Output("c_n", 20, 21, 22), Output("h_n", 20, 21, 22)};
  a.outputs[1].shadow = {};
  LayerComparison b = Layer("lstm", kNan, {40});
  b.kernel = Figures(50);
  b.outputs = {Output("c_n", 19, 21, 22)};
  const ComparisonDiff diff =
      DiffComparisons(Result({a, Layer("x", 1)}), Result({b, Layer("y", 1)}));
  EXPECT_EQ(ToDiffJson(diff, {"a.json", "b.json"}, {}), R"({
  "schema": "ns.diff/1",
  "a": "a.json",
  "b": "b.json",
  "equal": false,
  "layers": [
    {
      "name": "lstm",
      "figures": [
        {
          "figure": "activation",
          "a_db": 30.0,
          "b_db": "nan",
          "change_db": "nan",
          "tolerance_db": 0.0
        },
        {
          "figure": "activation",
          "part": "c_n",
          "a_db": 20.0,
          "b_db": 19.0,
          "change_db": -1.0,
          "tolerance_db": 0.0
        }
      ]
    }
  ],
  "figures_only_a": [
    {
      "name": "lstm",
      "figure": "activation",
      "part": "h_n"
    }
  ],
  "figures_only_b": [
    {
      "name": "lstm",
      "figure": "kernel"
    }
  ],
  "new": [
    "y"
  ],
  "vanished": [
    "x"
  ],
  "unmatched": {
    "a": 0,
    "b": 0
  },
  "batches": {
    "a": 8,
    "b": 8
  }
}
)");
}

TEST(DiffJsonTest, WritesBitsAndScales) {
  LayerComparison a = Layer("fc", 30);
  a.fingerprints = LayerFingerprints{"1", "2"};
  a.qparams = LayerQParams{0.5, 3};
  LayerComparison b = a;
  b.fingerprints->of_quantized = "3";
  b.qparams->zero_point = 4;
  const std::string json =
      ToDiffJson(DiffComparisons(Result({a}), Result({b})), {"a", "b"}, {});
  EXPECT_THAT(json, HasSubstr(R"("different_bits": {
    "layers": 1,
    "float": [],
    "quantized": [
      "fc"
    ]
  },
  "qparams": [
    {
      "name": "fc",
      "a": {
        "scale": 0.5,
        "zero_point": 3
      },
      "b": {
        "scale": 0.5,
        "zero_point": 4
      }
    }
  ])"));
}

TEST(DiffJsonTest, EqualComparisonsHaveNoLayers) {
  const ComparisonResult result = Result({Layer("a", 30), Layer("b", kNan)});
  const ComparisonDiff diff = DiffComparisons(result, result);
  const std::string json = ToDiffJson(diff, {"a", "a"}, CheckDrops(diff, 1));
  EXPECT_THAT(json, HasSubstr("\"equal\": true"));
  EXPECT_THAT(json, HasSubstr("\"layers\": []"));
  EXPECT_THAT(json, HasSubstr("\"limit\": \"max-drop\""));
}

}  // namespace
}  // namespace ns
