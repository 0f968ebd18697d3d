#include "ir/parse_json.h"

#include <cstdint>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

std::string Repeated(const std::string& text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) {
    repeated += text;
  }
  return repeated;
}

TEST(ParseJsonTest, ReadsValuesOfAllTypes) {
  const Json value = OrThrow(ParseJson(
      R"({"a": [1, -2, 0.5, true, null], "b": {"c": "\u00e9\n"}, "d": []})"));
  EXPECT_EQ(value["a"], Json::array({1, -2, 0.5, true, nullptr}));
  EXPECT_EQ(value["b"]["c"], "\u00e9\n");
  EXPECT_EQ(value["d"], Json::array());
  EXPECT_EQ(value.size(), 3U);
}

TEST(ParseJsonTest, ReadsValuesThatAreNoObject) {
  EXPECT_EQ(OrThrow(ParseJson("7")), Json(7));
  EXPECT_EQ(OrThrow(ParseJson(" \"x\" ")), Json("x"));
  EXPECT_EQ(OrThrow(ParseJson("\xEF\xBB\xBF[]")), Json::array());
}

TEST(ParseJsonTest, TellsWhereTextIsNoJson) {
  EXPECT_EQ(MessageOf(ParseJson("{\n  \"a\": 1,\n  b\n}")),
            "line 3, column 3: syntax error while parsing object key - invalid "
            "literal; last read: '1,<U+000A>  b'; expected string literal");
  EXPECT_THAT(MessageOf(ParseJson("")), StartsWith("line 1, column "));
  EXPECT_THAT(MessageOf(ParseJson("[1, 2")),
              HasSubstr("unexpected end of input"));
  EXPECT_THAT(MessageOf(ParseJson("[] []")), HasSubstr("column 4"));
}

TEST(ParseJsonTest, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_EQ(MessageOf(ParseJson("[1e999]")),
            "line 1, column 6: number overflow parsing '1e999'");
  EXPECT_TRUE(
      OrThrow(ParseJson("123456789012345678901234567890")).is_number_float());
}

TEST(ParseJsonTest, RefusesMembersThatComeTwice) {
  EXPECT_EQ(MessageOf(ParseJson(R"({"a": {"b": 1, "c": 2, "b": 3}})")),
            "an object has 'b' twice");
  EXPECT_EQ(OrThrow(ParseJson(R"([{"b": 1}, {"b": 2}])")).size(), 2U);
}

TEST(ParseJsonTest, RefusesDeepNesting) {
  const auto nested = [](int depth) {
    return absl::StrCat(Repeated("[", depth), Repeated("]", depth));
  };
  NS_EXPECT_OK(ParseJson(nested(kMaxJsonDepth)).status());
  EXPECT_EQ(MessageOf(ParseJson(nested(kMaxJsonDepth + 1))),
            "arrays and objects are nested deeper than 100");
  EXPECT_EQ(MessageOf(ParseJson(Repeated("[{\"a\":", 1000000))),
            "arrays and objects are nested deeper than 100");
}

TEST(ParseJsonTest, MessagesAreOneShortLine) {
  for (const std::string& text :
       {std::string("\"a\nb\""), std::string("\"\xFF\xFE\""),
        absl::StrCat("\"", Repeated("x", 100000)), std::string("\0\0", 2),
        absl::StrCat("{\"", Repeated("x", 100000), "\": 1, \"",
                     Repeated("x", 100000), "\": 2}")}) {
    const std::string message = MessageOf(ParseJson(text));
    EXPECT_FALSE(message.empty());
    EXPECT_LT(message.size(), 400U);
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    // Valid UTF-8 reads back.
    EXPECT_EQ(OrThrow(ParseJson(JsonString(message))), Json(message));
  }
}

TEST(ParseJsonTest, RandomBytesAreRead) {
  std::mt19937 random(1);
  const std::string letters = "[]{}\",:0123eE+-.\\ntrufalse \n\xC3\xA9\xFF";
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const size_t length = random() % 12;
    while (text.size() < length) {
      text += letters[random() % letters.size()];
    }
    const absl::StatusOr<Json> value = ParseJson(text);
    if (value.ok()) {
      ++read;
      EXPECT_EQ(OrThrow(ParseJson(value->dump())), *value) << text;
    } else {
      EXPECT_THAT(MessageOf(value), Not(HasSubstr("\n"))) << text;
    }
  }
  EXPECT_GT(read, 100);
}

TEST(JsonStringTest, QuotesAndEscapes) {
  EXPECT_EQ(JsonString("a\"b\\\n"), R"("a\"b\\\n")");
  EXPECT_EQ(JsonString("\u00e9\xFF"), "\"\u00e9\uFFFD\"");
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

TEST(MustBeTest, ShowsTheValue) {
  EXPECT_EQ(MustBe(Json("a"), "a number").message(), "'a' must be a number");
  EXPECT_EQ(MustBe(Json(1.5), "a string").message(), "'1.5' must be a string");
  EXPECT_EQ(MustBe(Json::array({1, "b"}), "null").message(),
            "'[1,\"b\"]' must be null");
  EXPECT_EQ(MustBe(Json(std::string(61, 'x')), "null").message(),
            absl::StrCat("'", std::string(60, 'x'), "...' must be null"));
}

TEST(NoFieldTest, NamesTheNearestOrAll) {
  EXPECT_EQ(NoField("knid", {"kind", "dtype"}).message(),
            "has no field 'knid'; did you mean 'kind'?");
  EXPECT_EQ(NoField("x\n", {"kind", "dtype"}).message(),
            "has no field 'x\\n'; it takes kind, dtype");
}

}  // namespace
}  // namespace ns
