#include "ns/n_shadows/sensitivity_table.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void AddCandidate(ShadowedSubgraph& layer, int index, double x2, double e2) {
  CandidateResult candidate;
  candidate.candidate = index;
  candidate.pooled.sum_x2 = x2;
  candidate.pooled.sum_e2 = e2;
  candidate.call_sqnr_db = {0};
  layer.candidates.push_back(candidate);
}

class SensitivityTableTest : public testing::Test {
 protected:
  SensitivityTableTest() {
    Sensitivity& sensitivity = report_.sensitivity;
    sensitivity.batches = 1;
    sensitivity.candidates = {Int8PerTensorQConfig(), Fp16QConfig()};
    sensitivity.layers.resize(3);
    sensitivity.layers[0].name = "conv";
    sensitivity.layers[0].op = "aten::conv2d";
    AddCandidate(sensitivity.layers[0], 0, 1000, 1);
    AddCandidate(sensitivity.layers[0], 1, 1e6, 1);
    sensitivity.layers[1].name = "fc";
    sensitivity.layers[1].op = "aten::linear";
    AddCandidate(sensitivity.layers[1], 0, 10, 1);
    AddCandidate(sensitivity.layers[1], 1, 1, 0);
    sensitivity.layers[2].name = "norm";
    sensitivity.layers[2].op = "aten::layer_norm";
    AddCandidate(sensitivity.layers[2], 1, 1e7, 1);
  }

  SensitivityReport report_;
};

TEST_F(SensitivityTableTest, HasAColumnForEachCandidate) {
  EXPECT_EQ(SensitivityTable(report_, {}),
            "                         int8\n"
            "layer  op          per tensor   fp16\n"
            "────────────────────────────────────\n"
            "conv   conv2d            30.0   60.0\n"
            "fc     linear            10.0  exact\n"
            "norm   layer_norm           -   70.0\n"
            "\n"
            "SQNR in dB of each candidate, 3 layers, 1 batch\n");
}

TEST_F(SensitivityTableTest, TellsWhatAPlanMakesOfEachLayer) {
  report_.plan = QuantizationPlan{30, {0, 1, {}}};
  EXPECT_EQ(SensitivityTable(report_, {}),
            "                         int8\n"
            "layer  op          per tensor   fp16  use\n"
            "─────────────────────────────────────────────────────\n"
            "conv   conv2d            30.0   60.0  int8 per tensor\n"
            "fc     linear            10.0  exact  fp16\n"
            "norm   layer_norm           -   70.0  float\n"
            "\n"
            "SQNR in dB of each candidate, 3 layers, 1 batch\n"
            "each quantized layer at 30.0 dB or more: 1 int8 per tensor, 1 "
            "fp16, 1 float\n"
            "keep in float: fc, norm\n");
}

TEST_F(SensitivityTableTest, WorstLayersCanComeFirst) {
  TableOptions options;
  options.sort_by_error = true;
  const std::string table = SensitivityTable(report_, options);
  EXPECT_LT(table.find("\nfc"), table.find("\nconv"));
  EXPECT_LT(table.find("\nconv"), table.find("\nnorm"));
}

TEST_F(SensitivityTableTest, LayersWithoutAnIntegerCandidateComeLast) {
  std::vector<ShadowedSubgraph>& layers = report_.sensitivity.layers;
  layers[1].candidates[0].pooled.sum_e2 = 0;
  std::swap(layers[1], layers[2]);
  TableOptions options;
  options.sort_by_error = true;
  EXPECT_EQ(SensitivityTable(report_, options),
            "                         int8\n"
            "layer  op          per tensor   fp16\n"
            "────────────────────────────────────\n"
            "conv   conv2d            30.0   60.0\n"
            "fc     linear           exact  exact\n"
            "norm   layer_norm           -   70.0\n"
            "\n"
            "SQNR in dB of each candidate, 3 layers, 1 batch\n");
}

TEST_F(SensitivityTableTest, ColorsLowFigures) {
  TableOptions options;
  options.color = true;
  const std::string table = SensitivityTable(report_, options);
  EXPECT_THAT(table, HasSubstr("\x1b[33m10.0"));
  EXPECT_THAT(SensitivityTable(report_, {}), Not(HasSubstr("\x1b")));
}

TEST_F(SensitivityTableTest, ListsWhatWasNotTriedOncePerReason) {
  report_.sensitivity.skipped = {{"norm", "dynamic", "no form"},
                                 {"mean", "dynamic", "no form"},
                                 {"up", "int4 weights", "other"}};
  report_.sensitivity.never_ran = {"dark"};
  EXPECT_THAT(SensitivityTable(report_, {}),
              HasSubstr("\n1 layer that no batch came by: dark\n"
                        "\nnot tried:\n"
                        "  no form (norm and 1 more)\n"
                        "  other (up)\n"));
}

TEST_F(SensitivityTableTest, NamesCannotDriveTheTerminal) {
  report_.sensitivity.layers[0].name = "a\x1b[2J";
  EXPECT_THAT(SensitivityTable(report_, {}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace ns
