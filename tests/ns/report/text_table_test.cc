#include "ns/report/text_table.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Column ColumnOf(const std::vector<std::string>& texts,
                Shrink shrink = Shrink::kNever) {
  Column column;
  for (const std::string& text : texts) {
    column.cells.push_back({text, ""});
  }
  column.shrink = shrink;
  return column;
}

TEST(TextTableTest, RowIsItsColumnsAndTheGapsBetween) {
  EXPECT_EQ(Width({3}), 3);
  EXPECT_EQ(Width({3, 4, 5}), 16);
}

TEST(TextTableTest, WidthIsOfTheWidestCellWithoutALimit) {
  EXPECT_THAT(
      FitWidths({ColumnOf({"", "name", "größe"}), ColumnOf({"", "dB", "1"})},
                0),
      ElementsAre(5, 2));
}

TEST(TextTableTest, ColumnsThatMayShrinkGiveWay) {
  const std::string wide(40, 'x');
  const std::vector<Column> columns = {
      ColumnOf({"", "a", wide}, Shrink::kFirst), ColumnOf({"", "b", wide})};
  const std::vector<size_t> widths = FitWidths(columns, 62);
  EXPECT_THAT(widths, ElementsAre(20, 40));
  const std::string lines = Render(columns, widths, false);
  EXPECT_THAT(lines, HasSubstr("x…x"));
}

TEST(TextTableTest, ColorIsLeftOutWhereItIsNotWanted) {
  Column column = ColumnOf({"", "a", "bad"});
  column.cells[2].color = "\x1B[31m";
  const std::vector<size_t> widths = FitWidths({column}, 0);
  EXPECT_THAT(Render({column}, widths, true), HasSubstr("\x1B[31mbad"));
  EXPECT_THAT(Render({column}, widths, false), Not(HasSubstr("\x1B")));
}

}  // namespace
}  // namespace ns
