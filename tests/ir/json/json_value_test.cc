#include "ir/json/json_value.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using llvm::json::Value;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::Pointee;

Value Parsed(absl::string_view text) { return OrThrow(ParseJson(text)); }

TEST(JsonValueTest, FindsMembersOfObjectsOnly) {
  const Value value = Parsed(R"({"a": {"b": 1}})");
  ASSERT_NE(FindMember(value, "a"), nullptr);
  EXPECT_EQ(*FindMember(*FindMember(value, "a"), "b"), Value(1));
  EXPECT_EQ(FindMember(value, "b"), nullptr);
  EXPECT_EQ(FindMember(Parsed("[1]"), "a"), nullptr);
}

TEST(JsonValueTest, MembersAreSortedByName) {
  const Value value = Parsed(R"({"c": 1, "a": 2, "b": 3})");
  EXPECT_THAT(
      SortedMembers(*value.getAsObject()),
      ElementsAre(Pair("a", Pointee(Value(2))), Pair("b", Pointee(Value(3))),
                  Pair("c", Pointee(Value(1)))));
}

TEST(JsonValueTest, TextIsEmptyUnlessItIsText) {
  const Value value = Parsed(R"({"a": "x", "b": 1})");
  EXPECT_EQ(TextMember(value, "a"), "x");
  EXPECT_EQ(TextMember(value, "b"), "");
  EXPECT_EQ(TextMember(value, "c"), "");
  EXPECT_EQ(TextOf(Parsed("\"\"")), "");
  EXPECT_FALSE(TextOf(Parsed("1")).has_value());
}

TEST(JsonValueTest, NumbersMayBeInfinite) {
  const Value value = Parsed(
      R"({"a": 1.5, "b": 2, "c": -3, "d": "inf", "e": "-inf", "f": "nan",
          "g": "x"})");
  EXPECT_EQ(NumberMember(value, "a"), 1.5);
  EXPECT_EQ(NumberMember(value, "b"), 2);
  EXPECT_EQ(NumberMember(value, "c"), -3);
  EXPECT_EQ(NumberMember(value, "d"), INFINITY);
  EXPECT_EQ(NumberMember(value, "e"), -INFINITY);
  EXPECT_TRUE(std::isnan(*NumberMember(value, "f")));
  EXPECT_FALSE(NumberMember(value, "g").has_value());
}

TEST(JsonValueTest, ArraysAreEmptyUnlessTheyAreArrays) {
  const Value value = Parsed(R"({"a": [1, 2], "b": {"c": 1}})");
  EXPECT_EQ(ArrayMember(value, "a").size(), 2U);
  EXPECT_TRUE(ArrayMember(value, "b").empty());
  EXPECT_TRUE(ArrayMember(value, "x").empty());
}

}  // namespace
}  // namespace ns
