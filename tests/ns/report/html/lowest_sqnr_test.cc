#include "ns/report/html/lowest_sqnr.h"

#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

std::optional<NamedDb> LowestIn(absl::string_view text) {
  return LowestSqnr(*OrThrow(ParseJson(text)).getAsArray());
}

TEST(LowestSqnrTest, HasAName) {
  const auto lowest = LowestIn(
      R"([{"name": "a", "sqnr_db": 30}, {"name": "b", "sqnr_db": "inf"},
          {"name": "c", "sqnr_db": 12.5}, {"name": "d"}, 7])");
  ASSERT_TRUE(lowest.has_value());
  EXPECT_EQ(lowest->name, "c");
  EXPECT_EQ(lowest->db, 12.5);
}

TEST(LowestSqnrTest, NanIsBeforeAllNumbers) {
  EXPECT_EQ(LowestIn(R"([{"name": "a", "sqnr_db": 30},
                         {"name": "b", "sqnr_db": "nan"}])")
                ->name,
            "b");
}

TEST(LowestSqnrTest, IntegersDoNotCount) {
  EXPECT_EQ(LowestIn(R"([{"name": "a", "sqnr_db": 30},
                         {"name": "b", "sqnr_db": 3, "integers": true}])")
                ->name,
            "a");
}

TEST(LowestSqnrTest, IsAbsentWithoutAFigure) {
  EXPECT_FALSE(LowestIn(R"([{"name": "a"}])").has_value());
  EXPECT_FALSE(LowestIn("[]").has_value());
}

}  // namespace
}  // namespace ns
