#include "tools/bench/kernels/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ns::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Row RowOf(const std::string& kind, const std::string& name, double ratio) {
  Row row;
  row.section = "some";
  row.kind = kind;
  row.name = name;
  row.rows = 16;
  row.peers[kOneDnn] = {1, ratio};
  return row;
}

TEST(VerdictsTest, MeanAndLowestHaveToReachTheirBars) {
  EXPECT_EQ(
      FormatVerdicts({RowOf("linear", "a", 1), RowOf("linear", "b", 1.21)}),
      "holds  1 thread   linear vs oneDNN: 2 rows, geomean 1.10 (bar "
      "1.05), lowest 1.00 (bar 0.95) at a of some\n");
  EXPECT_THAT(FormatVerdicts({RowOf("conv", "a", 2), RowOf("conv", "b", 0.9)}),
              HasSubstr("FAILS  1 thread   conv vs oneDNN: 2 rows"));
  EXPECT_THAT(FormatVerdicts({RowOf("conv", "a", 1)}), HasSubstr("FAILS"));
}

TEST(VerdictsTest, DepthwiseAndGroupedHaveBarsOfTheirOwn) {
  EXPECT_THAT(FormatVerdicts({RowOf("depthwise", "a", 1.3)}),
              HasSubstr("FAILS  1 thread   depthwise vs oneDNN: 1 rows, "
                        "geomean 1.30 (bar 1.40)"));
  EXPECT_THAT(FormatVerdicts({RowOf("grouped", "a", 1.3)}),
              HasSubstr("holds  1 thread   grouped vs oneDNN: 1 rows, "
                        "geomean 1.30 (bar 1.20)"));
}

TEST(VerdictsTest, ColdAndWarmRowsAreApart) {
  Row cold = RowOf("linear", "a", 0.5);
  cold.cold = true;
  const std::string text = FormatVerdicts({RowOf("linear", "a", 2), cold});
  EXPECT_THAT(text, HasSubstr("holds  1 thread   linear vs oneDNN: 1 rows"));
  EXPECT_THAT(text,
              HasSubstr("FAILS  1 thread   linear vs oneDNN, cold: 1 rows"));
}

TEST(VerdictsTest, NumbersOfThreadsAreApart) {
  Row two = RowOf("conv", "a", 0.5);
  two.threads = 2;
  const std::string text = FormatVerdicts({two, RowOf("conv", "a", 2)});
  EXPECT_THAT(text, HasSubstr("holds  1 thread   conv"));
  EXPECT_THAT(text, HasSubstr("FAILS  2 threads  conv"));
}

TEST(VerdictsTest, FewRowsAreComparedWithTheFasterEngineOfLibTorch) {
  Row row = RowOf("linear", "a", 2);
  row.rows = 8;
  row.peers[kTorchOneDnn] = {1, 9};
  row.peers[kTorchQnnpack] = {1, 2.5};
  EXPECT_THAT(FormatVerdicts({row}),
              HasSubstr("FAILS  1 thread   linear M <= 8 vs LibTorch: 1 rows, "
                        "geomean 2.50, lowest 2.50 (bar 3.00)"));
  row.rows = 9;
  EXPECT_THAT(FormatVerdicts({row}), Not(HasSubstr("LibTorch")));
}

TEST(VerdictsTest, ManyRowsAreHeldToThePeakAndOneRowToTheRoofline) {
  Row row = RowOf("linear", "a", 2);
  row.of_peak = 0.5;
  row.of_roofline = 0.9;
  row.rows = 64;
  EXPECT_THAT(FormatVerdicts({row}),
              HasSubstr("FAILS  1 thread   linear M >= 64, part of peak"));
  row.rows = 1;
  EXPECT_THAT(FormatVerdicts({row}),
              HasSubstr("holds  1 thread   linear M = 1, part of roofline"));
}

TEST(VerdictsTest, QuantizingIsHeldToMemcpyAndAddingIsNot) {
  Row row = RowOf("elementwise", "dequantize 1 Mi", 2);
  row.peers = {};
  row.of_roofline = 0.7;
  EXPECT_THAT(FormatVerdicts({row}),
              HasSubstr("FAILS  1 thread   quantize, part of memcpy"));
  row.name = "add_relu 1 Mi";
  EXPECT_EQ(FormatVerdicts({row}), "");
}

}  // namespace
}  // namespace ns::bench
