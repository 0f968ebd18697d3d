#include "ir/json/json_text.h"

#include <cstdlib>
#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using llvm::json::Array;
using llvm::json::Object;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(FormatDoubleTest, IsShortestAndLooksLikeAFloat) {
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatDouble(30), "30.0");
  EXPECT_EQ(FormatDouble(-0.0), "-0.0");
  EXPECT_EQ(FormatDouble(1e22), "1e+22");
  EXPECT_EQ(FormatDouble(5e-324), "5e-324");
}

TEST(FormatDoubleTest, ReadsBackAsTheSameNumber) {
  // Steps through all exponents with changing mantissas.
  for (double value = 1e-310; value < 1e300; value *= 1.0 + 7.0 / 3.0) {
    EXPECT_EQ(std::strtod(FormatDouble(value).c_str(), nullptr), value);
    EXPECT_EQ(std::strtod(FormatDouble(-value).c_str(), nullptr), -value);
  }
}

TEST(FormatDoubleTest, NamesInfinitiesAndNan) {
  EXPECT_EQ(FormatDouble(kInfinity), "inf");
  EXPECT_EQ(FormatDouble(-kInfinity), "-inf");
  EXPECT_EQ(FormatDouble(kNan), "nan");
  EXPECT_EQ(FormatDouble(-kNan), "nan");
}

TEST(QuoteJsonTest, EscapesWhatJsonForbids) {
  EXPECT_EQ(QuoteJson(R"(a "b" \ /)"), R"("a \"b\" \\ /")");
  EXPECT_EQ(QuoteJson("\n\r\t\x01\x1b\x7f"), R"("\n\r\t\u0001\u001b\u007f")");
  EXPECT_EQ(QuoteJson(absl::string_view("\0", 1)), R"("\u0000")");
}

TEST(QuoteJsonTest, KeepsValidUtf8) {
  for (const absl::string_view text :
       {"é", "µ", "层1", "🦊", "\u0080", "\u07ff", "\u0800", "\ud7ff",
        "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
    EXPECT_EQ(QuoteJson(text), "\"" + std::string(text) + "\"");
  }
}

TEST(QuoteJsonTest, ReplacesEachInvalidByte) {
  EXPECT_EQ(QuoteJson("a\xff"
                      "b"),
            "\"a\uFFFDb\"");
  EXPECT_EQ(QuoteJson("\x80"), "\"\uFFFD\"") << "tail without a lead";
  EXPECT_EQ(QuoteJson("\xc3"), "\"\uFFFD\"") << "cut short";
  EXPECT_EQ(QuoteJson("\xc3("), "\"\uFFFD(\"") << "the next byte stays";
  EXPECT_EQ(QuoteJson("\xc0\xaf"), "\"\uFFFD\uFFFD\"") << "overlong";
  EXPECT_EQ(QuoteJson("\xe0\x80\xaf"), "\"\uFFFD\uFFFD\uFFFD\"") << "overlong";
  EXPECT_EQ(QuoteJson("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\"") << "surrogate";
  EXPECT_EQ(QuoteJson("\xf0\x9f\xa6"), "\"\uFFFD\uFFFD\uFFFD\"") << "cut short";
  EXPECT_EQ(QuoteJson("\xf4\x90\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\uFFFD\"")
      << "above U+10FFFF";
}

TEST(EndOfJsonStringTest, PassesOverEscapedQuotes) {
  EXPECT_EQ(EndOfJsonString("\"a\\\"b\" c", 1), 5U);
  EXPECT_EQ(EndOfJsonString("\"\\\\\"", 1), 3U);
  EXPECT_EQ(EndOfJsonString("\"cut\\", 1), 5U);
}

TEST(JsonTextTest, IsOneLineWithSortedMembers) {
  EXPECT_EQ(JsonText(Object{{"z", Array{1, -2, 0.5, "x\"", true, nullptr}},
                            {"a", Object{}},
                            {"m", Array{}}}),
            R"({"a":{},"m":[],"z":[1,-2,0.5,"x\"",true,null]})");
}

TEST(OneLineTest, IsShortAndOfOneLine) {
  EXPECT_EQ(OneLine("a\"b\n\\d", 10), "a\"b\\n\\d");
  EXPECT_EQ(OneLine("abcde", 5), "abcde");
  EXPECT_EQ(OneLine("abcdef", 5), "abcde...");
}

TEST(OneLineTest, ChangesNothingTheSecondTime) {
  const std::string once = OneLine("\n\xFF\\\"\t", 10);
  EXPECT_EQ(OneLine(once, 100), once);
}

}  // namespace
}  // namespace ns
