#include "ns/report/json/comparison_map.h"

#include "gtest/gtest.h"
#include "ir/json/write_json.h"

namespace ns {
namespace {

TEST(ComparisonMapTest, WritesTheCoverage) {
  CoverageSummary summary = {1, 2, 0.75, {}};
  summary.coverage.stayed_float = {{"b", "aten::linear", "why"}};
  summary.coverage.cancelling_pairs = {{"d.dequantize", "q.quantize"}};
  summary.coverage.packs_at_run_time = {"a.linear_prepack"};
  EXPECT_EQ(WriteJson(summary), R"({
  "int8_layers": 1,
  "float_layers": 2,
  "int8_macs_share": 0.75,
  "stayed_float": [
    {
      "name": "b",
      "op": "aten::linear",
      "reason": "why"
    }
  ],
  "cancelling_pairs": [
    {
      "dequantize": "d.dequantize",
      "quantize": "q.quantize"
    }
  ],
  "packs_at_run_time": [
    "a.linear_prepack"
  ]
}
)");
}

}  // namespace
}  // namespace ns
