#include "ns/report/json_cursor.h"

#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// What `read` makes of `text`, and the error.
template <typename Read>
std::string ErrorOf(const std::string& text, const Read& read) {
  const nlohmann::json json = OrThrow(ParseJson(text));
  absl::Status status;
  read(JsonCursor(json, status));
  return std::string(status.message());
}

TEST(JsonCursorTest, ReadsValues) {
  const nlohmann::json json = OrThrow(ParseJson(
      R"({"a": [1, -2.5, "inf", "-inf", "nan"], "b": {"c": "x", "d": true}})"));
  absl::Status status;
  const JsonCursor root(json, status);
  const std::vector<double> numbers = root.At("a").Numbers();
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], -2.5);
  EXPECT_EQ(numbers[2], HUGE_VAL);
  EXPECT_EQ(numbers[3], -HUGE_VAL);
  EXPECT_TRUE(std::isnan(numbers[4]));
  EXPECT_EQ(root.At("b").At("c").Text(), "x");
  EXPECT_TRUE(root.At("b").At("d").Bool());
  EXPECT_EQ(root.Keys(), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(root.Find("c").has_value());
  NS_EXPECT_OK(status);
}

TEST(JsonCursorTest, TellsFloatsFromInts) {
  const nlohmann::json json = OrThrow(ParseJson(R"([1, 1.0, "inf", "x", []])"));
  absl::Status status;
  std::vector<bool> floats;
  for (const JsonCursor& item : JsonCursor(json, status).Items()) {
    floats.push_back(item.IsFloat());
  }
  EXPECT_EQ(floats, (std::vector<bool>{false, true, true, false, false}));
}

TEST(JsonCursorTest, KeepsTheFirstErrorWithItsPlace) {
  EXPECT_EQ(ErrorOf(R"({"a": [{"b": "x"}], "c": 1})",
                    [](const JsonCursor& root) {
                      EXPECT_EQ(root.At("a").Items()[0].At("b").Int(), 0);
                      EXPECT_EQ(root.At("c").Text(), "");
                    }),
            "a[0].b: 'x' must be a whole number");
}

TEST(JsonCursorTest, GoesOnBehindAnError) {
  EXPECT_EQ(ErrorOf("{}",
                    [](const JsonCursor& root) {
                      const JsonCursor none = root.At("a").At("b");
                      EXPECT_TRUE(none.Items().empty());
                      EXPECT_TRUE(none.Keys().empty());
                      EXPECT_EQ(none.Text(), "");
                      EXPECT_FALSE(none.Bool());
                      EXPECT_FALSE(none.IsFloat());
                    }),
            "has no \"a\"");
}

TEST(JsonCursorTest, RefusesWholeNumbersOutOfRange) {
  EXPECT_EQ(ErrorOf("9223372036854775807",
                    [](const JsonCursor& root) {
                      EXPECT_EQ(root.Int(), 9223372036854775807);
                    }),
            "");
  EXPECT_EQ(ErrorOf("9223372036854775808",
                    [](const JsonCursor& root) { EXPECT_EQ(root.Int(), 0); }),
            "'9223372036854775808' must be a whole number");
}

}  // namespace
}  // namespace ns
