#include "ns/report/json_view.h"

#include <cmath>

#include "gtest/gtest.h"
#include "ir/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

nlohmann::json Parsed(absl::string_view text) {
  return OrThrow(ParseJson(text));
}

TEST(JsonViewTest, FindsMembersOfObjectsOnly) {
  const nlohmann::json value = Parsed(R"({"a": {"b": 1}})");
  ASSERT_NE(Member(value, "a"), nullptr);
  EXPECT_EQ(*Member(*Member(value, "a"), "b"), 1);
  EXPECT_EQ(Member(value, "b"), nullptr);
  EXPECT_EQ(Member(Parsed("[1]"), "a"), nullptr);
}

TEST(JsonViewTest, StringsAreEmptyUnlessTheyAreStrings) {
  const nlohmann::json value = Parsed(R"({"a": "x", "b": 1})");
  EXPECT_EQ(StringMember(value, "a"), "x");
  EXPECT_EQ(StringMember(value, "b"), "");
  EXPECT_EQ(StringMember(value, "c"), "");
}

TEST(JsonViewTest, NumbersMayBeInfinite) {
  const nlohmann::json value = Parsed(
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

TEST(JsonViewTest, ArraysAreEmptyUnlessTheyAreArrays) {
  const nlohmann::json value = Parsed(R"({"a": [1, 2], "b": {"c": 1}})");
  EXPECT_EQ(ArrayMember(value, "a").size(), 2);
  EXPECT_TRUE(ArrayMember(value, "b").empty());
  EXPECT_TRUE(ArrayMember(value, "x").empty());
}

TEST(JsonViewTest, TheLowestFigureOfAnArrayHasAName) {
  const auto lowest = LowestSqnr(Parsed(
      R"([{"name": "a", "sqnr_db": 30}, {"name": "b", "sqnr_db": "inf"},
          {"name": "c", "sqnr_db": 12.5}, {"name": "d"}, 7])"));
  ASSERT_TRUE(lowest.has_value());
  EXPECT_EQ(lowest->name, "c");
  EXPECT_EQ(lowest->db, 12.5);
  EXPECT_EQ(LowestSqnr(Parsed(R"([{"name": "a", "sqnr_db": 30},
                                  {"name": "b", "sqnr_db": "nan"}])"))
                ->name,
            "b");
  EXPECT_FALSE(LowestSqnr(Parsed(R"([{"name": "a"}])")).has_value());
}

}  // namespace
}  // namespace ns
