#include "ns/search/search_table.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

SearchResult Result() {
  SearchResult result;
  result.budget_db = 30;
  result.layers = {
      {"conv", "aten::conv2d", "default", 0.9, 60, {}},
      {"fc\x1b", "aten::linear", "float", 0, 20, {}},
  };
  result.rest = {0.1, 20};
  result.skipped = {{"fc", "dynamic", "no kernel"}};
  result.pareto = {{30.12, 80, 1, /*is_measured=*/true, /*is_chosen=*/true},
                   {41, 120, 0}};
  result.measured_us = 91.2;
  VerifiedRecipe verified;
  verified.choices = {1, 0};
  verified.predicted_db = 30.41;
  verified.measured_db = 30.12;
  verified.predicted_us = 80;
  result.verified = {verified};
  result.batches = result.measured_batches = 8;
  return result;
}

TEST(SearchTableTest, HasARowForEachLayerAndEndsWithTheFigures) {
  const std::string table = SearchTable(Result(), {});
  EXPECT_THAT(table,
              HasSubstr("conv        conv2d  default   90.0    60  60.0"));
  EXPECT_THAT(table,
              HasSubstr("fc\\x1b      linear  float      0.0    20  20.0"));
  EXPECT_THAT(table,
              HasSubstr("(all else)                    10.0    20  20.0"));
  EXPECT_THAT(table, HasSubstr("1 not tried:"));
  EXPECT_THAT(table, HasSubstr("1 of 2 layers in float"));
  EXPECT_THAT(table, HasSubstr("\nfrontier:\n"
                               "    30.1 dB measured        80 us  1 in int8 "
                               "← chosen, 91 us measured\n"
                               "    41.0 dB predicted      120 us  0 in int8\n"
                               "\n"));
  EXPECT_THAT(table, EndsWith("\nSQNR 30.4 dB predicted, 30.1 dB measured on 8 "
                              "batches; budget 30 dB\n"));
}

// Of 100 points, both ends, what was measured, and points in between.
TEST(SearchTableTest, ShowsSomePointsOfALongFrontier) {
  SearchResult result = Result();
  result.pareto.clear();
  for (int i = 0; i < 100; ++i) {
    result.pareto.push_back({10.0 + i, 1000.0 + i, 100 - i,
                             /*is_measured=*/i == 3 || i == 4});
  }
  const std::string table = SearchTable(result, {});
  EXPECT_THAT(table, HasSubstr("10.0 dB predicted"));
  EXPECT_THAT(table, HasSubstr("13.0 dB measured"));
  EXPECT_THAT(table, HasSubstr("14.0 dB measured"));
  EXPECT_THAT(table, HasSubstr("109.0 dB predicted"));
  const std::vector<std::string> lines = absl::StrSplit(table, '\n');
  EXPECT_EQ(absl::c_count_if(lines,
                             [](const std::string& line) {
                               return absl::EndsWith(line, " in int8");
                             }),
            8);
  for (ParetoPoint& point : result.pareto) {
    point.is_measured = point.int8_layers % 5 == 0;
  }
  const std::string all = SearchTable(result, {});
  for (int db = 10; db < 110; db += 5) {
    EXPECT_THAT(all, HasSubstr(absl::StrCat(db, ".0 dB measured")));
  }
}

TEST(SearchWarningsTest, TellWhereNoTimeIsSaved) {
  SearchResult result = Result();
  result.warnings = {"one batch"};
  result.float_us = 217;
  result.measured_us = 216;
  EXPECT_THAT(SearchWarnings(result), ElementsAre("one batch"));
  result.measured_us = 220;
  EXPECT_THAT(SearchWarnings(result),
              ElementsAre("one batch",
                          "the recipe saves no time: a batch takes 220 us, and "
                          "217 us in float"));
}

TEST(SearchTableTest, LabelsHaveTheCountsOfTheTest) {
  SearchResult result = Result();
  result.budget_db.reset();
  result.max_drop = 0.5;
  result.verified[0].top1 = PairedCounts{200, 180, 179, 2, 1};
  result.verified[0].p_value = 0.75;
  EXPECT_THAT(SearchTable(result, {}),
              HasSubstr("top-1 90.00 % in float, 89.50 % quantized, of 200 "
                        "samples: 2 lost, 1 won; a drop of 0.5 points or less: "
                        "p = 0.75"));
}

}  // namespace
}  // namespace ns
