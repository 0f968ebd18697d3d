#include "ns/findings/figure_text.h"

#include <cmath>
#include <optional>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(FigureTextTest, NanIsLowerThanAnyNumber) {
  EXPECT_TRUE(IsLowerDb(NAN, -INFINITY));
  EXPECT_FALSE(IsLowerDb(-INFINITY, NAN));
  EXPECT_FALSE(IsLowerDb(NAN, NAN));
  EXPECT_TRUE(IsLowerDb(10, INFINITY));
}

TEST(FigureTextTest, FormatsTenthsOfDb) {
  EXPECT_EQ(FormatDb(30.06), "30.1");
  EXPECT_EQ(FormatDb(-0.04), "-0.0");
  EXPECT_EQ(FormatDb(-INFINITY), "-inf");
  EXPECT_EQ(FormatDb(INFINITY), "exact");
  EXPECT_EQ(FormatDb(NAN), "nan");
  EXPECT_EQ(FormatDb(std::nullopt), "-");
}

TEST(FigureTextTest, FormatsFourDigits) {
  EXPECT_EQ(FormatFigure(0.0123456), "0.01235");
  EXPECT_EQ(FormatFigure(-INFINITY), "-inf");
  // 0 / 0 has a sign on some machines.
  EXPECT_EQ(FormatFigure(NAN), "nan");
  EXPECT_EQ(FormatFigure(std::copysign(NAN, -1)), "nan");
}

TEST(FigureTextTest, ColorsWhatIsLow) {
  const absl::string_view red = DbColor(9.9);
  const absl::string_view yellow = DbColor(19.9);
  EXPECT_NE(red, "");
  EXPECT_NE(yellow, "");
  EXPECT_NE(red, yellow);
  EXPECT_EQ(DbColor(10), yellow);
  EXPECT_EQ(DbColor(NAN), red);
  EXPECT_EQ(DbColor(20), "");
  EXPECT_EQ(DbColor(INFINITY), "");
  EXPECT_EQ(DbColor(std::nullopt), "");
}

TEST(FigureTextTest, BarsGrowByEighthsOfACell) {
  EXPECT_EQ(Bar(30, 4), "██");
  EXPECT_EQ(Bar(30 + 60.0 / 32, 4), "██▏");
  EXPECT_EQ(Bar(60, 4), "████");
  EXPECT_EQ(Bar(INFINITY, 4), "████");
}

TEST(FigureTextTest, GainsHaveADifferenceWhereItIsFinite) {
  EXPECT_EQ(GainText(12.1, 33.4), "12.1 -> 33.4 dB (+21.3)");
  EXPECT_EQ(GainText(20, 19.5), "20.0 -> 19.5 dB (-0.5)");
  EXPECT_EQ(GainText(20, INFINITY), "20.0 -> exact");
  EXPECT_EQ(GainText(INFINITY, INFINITY), "exact -> exact");
}

TEST(FigureTextTest, StripsAreFullFrom40Db) {
  EXPECT_EQ(Strip({-INFINITY, 0, 20, 40, INFINITY, NAN}), "▁▁▅██·");
  EXPECT_EQ(Strip({}), "");
}

TEST(FigureTextTest, NothingLowOrUnknownHasABar) {
  EXPECT_EQ(Bar(0, 4), "");
  EXPECT_EQ(Bar(-INFINITY, 4), "");
  EXPECT_EQ(Bar(NAN, 4), "");
  EXPECT_EQ(Bar(std::nullopt, 4), "");
}

}  // namespace
}  // namespace ns
