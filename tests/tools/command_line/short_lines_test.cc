#include "tools/command_line/short_lines.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(ShortLinesTest, LinesThatCanBeReadStay) {
  const std::string text =
      absl::StrCat("one\n\n", std::string(4000, 'x'), "\n");
  EXPECT_EQ(ShortLines(text), text);
  EXPECT_EQ(ShortLines(""), "");
}

TEST(ShortLinesTest, LongLinesLoseTheirMiddle) {
  const std::string text = ShortLines(
      absl::StrCat("first\nbegin", std::string(100000, 'x'), "end\nlast"));
  EXPECT_THAT(text, StartsWith("first\nbeginx"));
  EXPECT_THAT(text, EndsWith("xend\nlast"));
  EXPECT_LT(text.size(), 4100);
}

TEST(ShortLinesTest, NoCharacterIsCut) {
  for (int shift = 0; shift < 3; ++shift) {
    std::string line(shift, 'a');
    for (int i = 0; i < 3000; ++i) {
      line += "層";
    }
    const std::string text = ShortLines(line);
    const size_t cut = text.find(" ... ");
    EXPECT_EQ((cut - shift) % 3, 0);
    EXPECT_EQ(text.substr(cut + 5, 3), "層");
  }
}

}  // namespace
}  // namespace ns
