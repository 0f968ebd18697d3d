#include "ns/findings/outputs_of_model.h"

#include "gtest/gtest.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

ComparisonResult WithOutputs(const std::vector<double>& outputs) {
  ComparisonResult result = Result({});
  for (const double db : outputs) {
    result.model_outputs.push_back({"output", "", "", Figures(db)});
  }
  return result;
}

TEST(OutputsOfModelTest, EachOutputCounts) {
  EXPECT_TRUE(OutputsReach(WithOutputs({30, kInfinity}), 30));
  EXPECT_FALSE(OutputsReach(WithOutputs({29.9, kInfinity}), 30));
}

TEST(OutputsOfModelTest, WhatIsNotKnownIsNotGood) {
  EXPECT_FALSE(OutputsReach(WithOutputs({}), 30));
  EXPECT_FALSE(OutputsReach(WithOutputs({40, kNan}), 30));
}

TEST(OutputsOfModelTest, TheLowestIsFoundAndNanIsLower) {
  ComparisonResult result = WithOutputs({40, 20, kInfinity});
  EXPECT_EQ(LowestOutput(result.model_outputs), &result.model_outputs[1]);
  result.model_outputs[1].holds_integers = true;
  EXPECT_EQ(LowestOutput(result.model_outputs), &result.model_outputs[0]);
  result.model_outputs[2].figures = Figures(kNan);
  EXPECT_EQ(LowestOutput(result.model_outputs), &result.model_outputs[2]);
  EXPECT_EQ(LowestOutput({}), nullptr);
}

TEST(OutputsOfModelTest, OutputsAreFoundByName) {
  ComparisonResult result = WithOutputs({40, 20});
  result.model_outputs[1].name = "output[1]";
  EXPECT_EQ(FindOutput(result.model_outputs, "output[1]"),
            &result.model_outputs[1]);
  EXPECT_EQ(FindOutput(result.model_outputs, "logits"), nullptr);
}

}  // namespace
}  // namespace ns
