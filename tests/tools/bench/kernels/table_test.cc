#include "tools/bench/kernels/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ns::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Row LayerRow(const std::string& name, double seconds, double onednn_ratio) {
  Row row;
  row.section = "linear";
  row.kind = "linear";
  row.name = name;
  row.seconds = seconds;
  row.rate = 1e12;
  row.of_peak = 0.5;
  row.of_roofline = 0.75;
  row.peers[kOneDnn] = {seconds * onednn_ratio, onednn_ratio};
  row.choice = "matmul: brg";
  return row;
}

TEST(TableTest, RowHasMicrosecondsRatePercentagesAndRatios) {
  EXPECT_EQ(FormatRow(LayerRow("1,768,768", 12.5e-6, 1.25)),
            "1,768,768                              12.5    1000.0    50.0   "
            "75.0     1.25        -        -  matmul: brg\n");
}

TEST(TableTest, HeaderIsAsWideAsRows) {
  const std::string header = FormatHeader("linear", "GOPS");
  EXPECT_THAT(header, HasSubstr("\nlinear\n"));
  Row row = LayerRow("1,768,768", 1, 1);
  row.choice.clear();
  EXPECT_EQ(header.size() - std::string("\nlinear\n").size(),
            FormatRow(row).size());
}

TEST(TableTest, MismatchHasALineOfItsOwn) {
  Row row = LayerRow("1,768,768", 1e-6, 1);
  EXPECT_THAT(FormatRow(row), Not(HasSubstr("MISMATCH")));
  row.mismatch = "onednn: 3 of 768 codes";
  EXPECT_THAT(FormatRow(row),
              HasSubstr("\nMISMATCH 1,768,768: onednn: 3 of 768 codes\n"));
}

TEST(TableTest, SummaryHasGeometricMeanAndLowest) {
  const std::string summary =
      FormatSummary({LayerRow("a", 1e-6, 0.5), LayerRow("b", 1e-6, 8)});
  EXPECT_THAT(summary, testing::ContainsRegex("geometric mean +2.00 +- +-\n"));
  EXPECT_THAT(summary, testing::ContainsRegex("lowest +0.50 +- +-\n"));
  EXPECT_THAT(summary, Not(HasSubstr("all layers")));
}

TEST(TableTest, SummaryOfAModelWeighsLayersByTheirCount) {
  Row often = LayerRow("a", 10e-6, 0.5);
  often.count = 3;
  const std::string summary = FormatSummary({often, LayerRow("b", 10e-6, 2.5)});
  // Ours 40, the peer 3 * 5 + 25.
  EXPECT_THAT(summary,
              testing::ContainsRegex("all layers +40.0 +1000.0 +1.00 +- +-\n"));
}

TEST(TableTest, SummaryOfNothingIsEmpty) { EXPECT_EQ(FormatSummary({}), ""); }

}  // namespace
}  // namespace ns::bench
