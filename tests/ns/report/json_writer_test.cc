#include "ns/report/json_writer.h"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

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

TEST(JsonWriterTest, IndentsNestedValues) {
  JsonWriter json;
  json.BeginObject();
  json.Key("text");
  json.String("x");
  json.Key("list");
  json.BeginArray();
  json.Bool(true);
  json.BeginObject();
  json.Key("n\"");
  json.Int(std::numeric_limits<int64_t>::min());
  json.EndObject();
  json.Double(kInfinity);
  json.EndArray();
  json.EndObject();
  EXPECT_EQ(std::move(json).Finish(), R"({
  "text": "x",
  "list": [
    true,
    {
      "n\"": -9223372036854775808
    },
    "inf"
  ]
}
)");
}

TEST(JsonWriterTest, WritesEmptyScopesOnOneLine) {
  JsonWriter json;
  json.BeginArray();
  json.BeginObject();
  json.EndObject();
  json.BeginArray();
  json.EndArray();
  json.Numbers(std::vector<double>());
  json.EndArray();
  EXPECT_EQ(std::move(json).Finish(), "[\n  {},\n  [],\n  []\n]\n");
}

TEST(JsonWriterTest, WritesTenNumbersOnALine) {
  JsonWriter json;
  json.BeginArray();
  json.Numbers(std::vector<double>{1.5, kNan, 2});
  json.Numbers(std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  json.Numbers(std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  json.EndArray();
  EXPECT_EQ(std::move(json).Finish(), R"([
  [1.5, "nan", 2.0],
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    10
  ]
]
)");
}

TEST(JsonWriterTest, WritesEachStringOnALineOfItsOwn) {
  JsonWriter json;
  json.BeginObject();
  json.Member("names", std::vector<std::string>{"a", "\""});
  json.Member("none", std::vector<std::string>());
  json.EndObject();
  EXPECT_EQ(std::move(json).Finish(),
            "{\n"
            "  \"names\": [\n"
            "    \"a\",\n"
            "    \"\\\"\"\n"
            "  ],\n"
            "  \"none\": []\n"
            "}\n");
}

TEST(JsonWriterTest, WritesAValueAlone) {
  JsonWriter json;
  json.Double(0.5);
  EXPECT_EQ(std::move(json).Finish(), "0.5\n");
}

}  // namespace
}  // namespace ns
