#include "ns/findings/good_outputs.h"

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

TEST(GoodOutputsTest, EachOutputCounts) {
  EXPECT_TRUE(OutputsReach(WithOutputs({30, kInfinity}), 30));
  EXPECT_FALSE(OutputsReach(WithOutputs({29.9, kInfinity}), 30));
}

TEST(GoodOutputsTest, WhatIsNotKnownIsNotGood) {
  EXPECT_FALSE(OutputsReach(WithOutputs({}), 30));
  EXPECT_FALSE(OutputsReach(WithOutputs({40, kNan}), 30));
}

}  // namespace
}  // namespace ns
