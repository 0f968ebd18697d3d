#include "ir/json/parse_json.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/json_text.h"
#include "ir/json/json_value.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using llvm::json::Array;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = llvm::json::Value;

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
  EXPECT_EQ(*FindMember(value, "a"), Json(Array{1, -2, 0.5, true, nullptr}));
  EXPECT_EQ(TextMember(*FindMember(value, "b"), "c"), "\u00e9\n");
  EXPECT_EQ(*FindMember(value, "d"), Json(Array()));
  EXPECT_EQ(value.getAsObject()->size(), 3U);
}

TEST(ParseJsonTest, ReadsValuesThatAreNoObject) {
  EXPECT_EQ(OrThrow(ParseJson("7")), Json(7));
  EXPECT_EQ(OrThrow(ParseJson(" \"x\" ")), Json("x"));
  EXPECT_EQ(OrThrow(ParseJson("\xEF\xBB\xBF[]")), Json(Array()));
}

TEST(ParseJsonTest, TellsWhereTextIsNoJson) {
  EXPECT_EQ(MessageOf(ParseJson("{\n  \"a\": 1,\n  b\n}")),
            "line 3, column 3: expected object key");
  EXPECT_THAT(MessageOf(ParseJson("")), StartsWith("line 1, column "));
  EXPECT_EQ(MessageOf(ParseJson("[1, 2")),
            "line 1, column 5: the text ends here: expected , or ] after array "
            "element");
  EXPECT_THAT(MessageOf(ParseJson("[] []")), HasSubstr("column 3"));
  EXPECT_EQ(MessageOf(ParseJson("\"\xFF\xFE\"")),
            "line 1, column 1: invalid UTF-8 sequence");
}

TEST(ParseJsonTest, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_EQ(MessageOf(ParseJson("{\"a\": [1e999]}")),
            "a number is too large for a double");
  EXPECT_EQ(OrThrow(ParseJson("1e300")).getAsNumber(), 1e300);
}

TEST(ParseJsonTest, RefusesWholeNumbersThatDoNotFit) {
  EXPECT_EQ(OrThrow(ParseJson("-9223372036854775808")).getAsInteger(),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(OrThrow(ParseJson("[9223372036854775807,1]")),
            Json(Array{9223372036854775807, 1}));
  EXPECT_EQ(MessageOf(ParseJson("{\"a\": [9223372036854775808]}")),
            "'9223372036854775808' does not fit 64 bits");
  NS_EXPECT_OK(ParseJson("[\"99999999999999999999\"]").status());
  EXPECT_THAT(MessageOf(ParseJson("[1-2]")), HasSubstr("line 1, column "));
}

TEST(ParseJsonTest, RefusesMembersThatComeTwice) {
  EXPECT_EQ(MessageOf(ParseJson(R"({"a": {"b": 1, "c": 2, "b": 3}})")),
            "an object has 'b' twice");
  EXPECT_EQ(MessageOf(ParseJson(R"({"a": "b", "b": "{", "a": 3})")),
            "an object has 'a' twice");
  for (const char* text :
       {R"([{"b": 1}, {"b": 2}])", R"({"a": "a", "b": ["a", "a"]})",
        R"({"a": {"a": {"a": "\"a\": 1, \"a\": 2"}}})"}) {
    NS_EXPECT_OK(ParseJson(text).status());
  }
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
    EXPECT_EQ(OrThrow(ParseJson(QuoteJson(message))), Json(message));
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
      EXPECT_EQ(OrThrow(ParseJson(JsonText(*value))), *value) << text;
    } else {
      EXPECT_THAT(MessageOf(value), Not(HasSubstr("\n"))) << text;
    }
  }
  EXPECT_GT(read, 100);
}

TEST(MustBeTest, ShowsTheValue) {
  EXPECT_EQ(MustBe(Json("a"), "a number").message(), "'a' must be a number");
  EXPECT_EQ(MustBe(Json(1.5), "a string").message(), "'1.5' must be a string");
  EXPECT_EQ(MustBe(Array{1, "b"}, "null").message(),
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
