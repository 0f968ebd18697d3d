#include "ns/n_shadows/sensitivity_json.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {
namespace {

SensitivityReport OneLayer() {
  SensitivityReport report;
  report.sensitivity.float_path = "f.pt";
  report.sensitivity.batches = 2;
  report.sensitivity.candidates = {DynamicQConfig()};
  ShadowedSubgraph layer;
  layer.name = "a.fc";
  layer.fqn = "a.fc";
  layer.op = "aten::linear";
  CandidateResult candidate;
  candidate.qconfig = "dynamic";
  // Equal tensors: no error.
  candidate.pooled = {4, 4, 4, 4, 0, 0};
  candidate.call_sqnr_db = {30.5};
  layer.candidates = {candidate};
  report.sensitivity.layers = {layer};
  report.sensitivity.skipped = {{"mean", "dynamic", "no form"}};
  report.sensitivity.never_ran = {"dark"};
  return report;
}

constexpr char kWithoutPlan[] = R"json({
  "schema": "ns.sensitivity/1",
  "float": "f.pt",
  "batches": 2,
  "candidates": [
    "dynamic"
  ],
  "layers": [
    {
      "name": "a.fc",
      "fqn": "a.fc",
      "op": "aten::linear",
      "candidates": [
        {
          "name": "dynamic",
          "sqnr_db": "inf",
          "normalized_l2": 0.0,
          "cosine": 1.0,
          "max_abs_error": 0.0,
          "mean_error": 0.0,
          "bias_share": 0.0,
          "call_sqnr_db": [30.5]
        }
      ]
    }
  ],
  "skipped": [
    {
      "name": "mean",
      "candidate": "dynamic",
      "reason": "no form"
    }
  ],
  "never_ran": [
    "dark"
  ]
}
)json";

TEST(SensitivityJsonTest, HasEveryFigure) {
  EXPECT_EQ(SensitivityJson(OneLayer()), kWithoutPlan);
}

TEST(SensitivityJsonTest, PlanAddsUsesAndWhatToKeep) {
  SensitivityReport report = OneLayer();
  report.plan = QuantizationPlan{30, {std::nullopt}};
  const std::string kept = SensitivityJson(report);
  EXPECT_NE(kept.find("\"use\": \"float\""), std::string::npos);
  EXPECT_NE(kept.find("  \"budget\": {\n"
                      "    \"sqnr_db\": 30.0,\n"
                      "    \"keep_in_float\": [\n"
                      "      \"a.fc\"\n"
                      "    ]\n"
                      "  },\n"),
            std::string::npos)
      << kept;
  report.plan->choices = {0};
  const std::string used = SensitivityJson(report);
  EXPECT_NE(used.find("\"use\": \"dynamic\""), std::string::npos);
  EXPECT_NE(used.find("\"keep_in_float\": []"), std::string::npos) << used;
}

}  // namespace
}  // namespace ns
