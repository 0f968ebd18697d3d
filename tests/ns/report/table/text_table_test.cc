#include "ns/report/table/text_table.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

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

TEST(TextTableTest, NoCellIsWiderThanPeopleRead) {
  for (const Shrink shrink : {Shrink::kNever, Shrink::kLater}) {
    // Without their middle, the last two are equal.
    const std::vector<Column> columns = {
        ColumnOf({"", "name", std::string(100000, 'x'),
                  std::string(50000, 'x') + "y" + std::string(50000, 'x')},
                 shrink)};
    const std::vector<size_t> widths = FitWidths(columns, 0);
    EXPECT_THAT(widths, ElementsAre(200));
    for (const absl::string_view line :
         absl::StrSplit(Render(columns, widths, false), '\n')) {
      EXPECT_LE(line.size(), 3 * 200);
    }
  }
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

// Texts of a few letters have much in common at both ends.
TEST(TextTableTest, TextsThatDifferStillDoWhenTheyAreShortened) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> texts;
    for (int i = 0; i < 6; ++i) {
      std::string text;
      for (size_t length = 8 + random() % 16; length > 0; --length) {
        text += random() % 4 == 0 ? "é" : random() % 8 == 0 ? "è" : "a";
      }
      texts.insert(text);
    }
    const Column column =
        ColumnOf({texts.begin(), texts.end()}, Shrink::kFirst);
    const std::vector<size_t> widths = FitWidths({column}, 1);
    const std::vector<std::string> lines =
        absl::StrSplit(Render({column}, widths, false), '\n');
    // The rule and what is behind the last line are two more.
    EXPECT_THAT(std::set<std::string>(lines.begin(), lines.end()),
                SizeIs(texts.size() + 2));
  }
}

TEST(TextTableTest, LongTextsTakeNoLongTime) {
  std::vector<std::string> texts = {"", "name"};
  for (int i = 0; i < 300; ++i) {
    std::string text(1000, 'x');
    text[200 + 2 * i] = 'y';
    texts.push_back(text);
  }
  const std::vector<size_t> widths =
      FitWidths({ColumnOf(texts, Shrink::kFirst)}, 80);
  EXPECT_THAT(widths, ElementsAre(200));
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
