#include "ir/json/read_json.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "ir/json/write_json.h"
#include "tests/ir/json/mapped_structs.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

template <typename T>
T Read(const std::string& text) {
  T value;
  const absl::Status status = ReadJson(OrThrow(ParseJson(text)), value);
  NS_EXPECT_OK(status);
  return value;
}

template <typename T>
std::string ErrorOf(const std::string& text) {
  T value;
  return std::string(ReadJson(OrThrow(ParseJson(text)), value).message());
}

// The error when one place of what Full() is written as is another.
std::string ErrorWith(const std::string& from, const std::string& to) {
  const std::string json = WriteJson(Full());
  EXPECT_THAT(json, HasSubstr(from));
  return ErrorOf<Everything>(absl::StrReplaceAll(json, {{from, to}}));
}

TEST(ReadJsonTest, WhatIsReadIsWrittenAgainAsItWas) {
  for (const Everything& all : {Full(), Everything()}) {
    const std::string json = WriteJson(all);
    EXPECT_EQ(WriteJson(Read<Everything>(json)), json);
  }
}

TEST(ReadJsonTest, TheOrderOfMembersDoesNotMatter) {
  const Point point = Read<Point>(R"({"y": 2, "unknown": [], "x": 1})");
  EXPECT_EQ(point.x, 1);
  EXPECT_EQ(point.y, 2U);
}

TEST(ReadJsonTest, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(ErrorWith("\"flag\": true", "\"flag\": 1"),
            "flag: '1' must be true or false");
  EXPECT_EQ(ErrorWith("\"x\": 3", "\"x\": \"3\""),
            "points[0].x: '3' must be a whole number");
  EXPECT_EQ(ErrorWith("\"x\": 3,", ""), "points[0]: has no \"x\"");
  EXPECT_EQ(ErrorWith("\"inner\": 9", "\"inner\": 9.5"),
            "object.inner: '9.5' must be a whole number");
  EXPECT_EQ(ErrorWith("\"text\": \"a\\\"b\"", "\"text\": []"),
            "text: '[]' must be a string");
  EXPECT_EQ(ErrorWith("[0, 1]", "[0, 1, 2]"),
            "edges[0]: '[0,1,2]' must be a list of two numbers");
  EXPECT_EQ(ErrorWith("[0, 1]", "[0, -1]"),
            "edges[0][1]: '-1' must be a whole number that is not negative");
  EXPECT_EQ(ErrorWith("\"blue\"", "\"green\""),
            "color: 'green' must be a color, such as red");
  EXPECT_EQ(ErrorWith("[\n    \"a\",\n    \"b\"\n  ]", "\"a\""),
            "names: 'a' must be a list");
  EXPECT_EQ(ErrorWith("test/1", "test/2"),
            "schema: 'test/2' must be 'test/1'; give what the test wrote");
  EXPECT_THAT(ErrorWith("[-0.5, 1.5]", "[2.5, 1.5]"),
              HasSubstr("must be an object with a range from low to high"));
  EXPECT_EQ(ErrorOf<Point>("7"), "'7' must be an object");
}

TEST(ReadJsonTest, KeepsTheFirstError) {
  EXPECT_EQ(ErrorOf<std::vector<Point>>(R"([{"x": 1, "y": 2}, {"x": "a"}, 7])"),
            "[1].x: 'a' must be a whole number");
}

TEST(ReadJsonTest, WholeNumbersFitTheirType) {
  EXPECT_EQ(Read<std::vector<int64_t>>("[9223372036854775807]")[0],
            9223372036854775807);
  EXPECT_EQ(ErrorOf<Point>(R"({"x": 2147483648, "y": 0})"),
            "x: '2147483648' must be a whole number");
}

TEST(ReadJsonTest, NumbersMayBeStringsOrWhole) {
  const auto numbers =
      Read<std::vector<double>>(R"([1, -2.5, "inf", "-inf", "nan"])");
  EXPECT_EQ(numbers[0], 1);
  EXPECT_EQ(numbers[1], -2.5);
  EXPECT_EQ(numbers[2], HUGE_VAL);
  EXPECT_EQ(numbers[3], -HUGE_VAL);
  EXPECT_TRUE(std::isnan(numbers[4]));
}

TEST(ReadJsonTest, WhatIsMissingReadsAsItsDefault) {
  const Everything all = Read<Everything>(
      absl::StrReplaceAll(WriteJson(Everything()), {{"\"later\": 0.0,", ""}}));
  EXPECT_EQ(all.later, -1);
  EXPECT_FALSE(all.maybe || all.maybe_points || all.has_list);
}

TEST(ReadJsonTest, OtherNumbersAreThoseThatNothingElseNames) {
  const Everything all = Read<Everything>(absl::StrReplaceAll(
      WriteJson(Full()), {{"\"mae\"",
                           "\"samples\": 7, \"words\": \"x\", \"after\": 0.5, "
                           "\"zeta\": \"inf\", \"mae\""}}));
  std::vector<std::string> names;
  for (const NamedNumber& other : all.others) {
    names.push_back(other.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"mae", "psnr", "zeta"}));
}

}  // namespace
}  // namespace ns
