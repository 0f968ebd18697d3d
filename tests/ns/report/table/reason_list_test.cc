#include "ns/report/table/reason_list.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReasonListTest, NoItemsAreNoText) {
  EXPECT_EQ(ReasonList({}, "unmatched"), "");
}

TEST(ReasonListTest, ItemsOfOneReasonComeTogetherInTheirOrder) {
  EXPECT_EQ(ReasonList({{"b", "no form"}, {"c", "never ran"}, {"a", "no form"}},
                       "left in float"),
            "\n3 left in float:\n"
            "  no form\n"
            "    b\n"
            "    a\n"
            "  never ran\n"
            "    c\n");
}

TEST(ReasonListTest, OfManyItemsTheRestIsCounted) {
  std::vector<Reasoned> items(23, {"first", "no form"});
  items.push_back({"last", "never ran"});
  const std::string text = ReasonList(items, "unmatched");
  EXPECT_THAT(text, HasSubstr("\n24 unmatched:\n"));
  EXPECT_THAT(text, EndsWith("    first\n  and 4 more (see --json)\n"));
  EXPECT_THAT(text, Not(HasSubstr("never ran")));
}

TEST(ReasonListTest, TextOfModelsCannotDriveTheTerminal) {
  EXPECT_THAT(ReasonList({{"a\x1b[2J", "b\x1b[2J"}}, "unmatched"),
              Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace ns
