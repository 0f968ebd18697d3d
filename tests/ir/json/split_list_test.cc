#include "ir/json/split_list.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SplitListTest, GivesElementsAndTheRest) {
  const auto split = SplitList(
      R"({"a": [1, 2], "list" : [ {"x": [1, "],"]}, 7 , [] ], "b": "]"})",
      "list");
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->rest, R"({"a": [1, 2], "list" : [], "b": "]"})");
  EXPECT_THAT(split->elements,
              ElementsAre(" {\"x\": [1, \"],\"]}", " 7 ", " [] "));
}

TEST(SplitListTest, AnEmptyListHasNoElements) {
  const auto split = SplitList("{\"list\": [ \n ]}", "list");
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->rest, "{\"list\": []}");
  EXPECT_THAT(split->elements, IsEmpty());
}

TEST(SplitListTest, FindsTheMemberOfTheObjectItself) {
  const auto split = SplitList(
      R"({"x": {"list": [1]}, "y": "\"list\": [2]", "z": "list", "list": [3]})",
      "list");
  ASSERT_TRUE(split.has_value());
  EXPECT_THAT(split->elements, ElementsAre("3"));
}

TEST(SplitListTest, IsAbsentWhereThereIsNoList) {
  for (const char* text :
       {"", "{}", "[]", "[\"list\", [1]]", "{\"list\": 7}", "{\"list\": {}}",
        "{\"list\"", "{\"list\": [1, 2", "{\"list\": [\"]", "{\"list\": [1,]}",
        "{\"list\": [,1]}", "{\"list\": [1,,2]}", "{\"other\": [1]}"}) {
    EXPECT_FALSE(SplitList(text, "list").has_value()) << text;
  }
}

}  // namespace
}  // namespace ns
