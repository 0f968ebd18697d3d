#include "ir/text/code_lines.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text/code_tokens.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the depth of each line, and the texts of its tokens.
std::vector<std::string> Lines(absl::string_view code) {
  const std::vector<CodeToken> tokens = CodeTokens(code);
  std::vector<std::string> lines;
  for (const CodeLine& line : CodeLines(tokens)) {
    std::string text = absl::StrCat(line.depth);
    for (const CodeToken& token : line.tokens) {
      absl::StrAppend(&text, " ", token.text);
    }
    lines.push_back(text);
  }
  return lines;
}

TEST(CodeLinesTest, CountsTheBlocksAroundEachLine) {
  EXPECT_THAT(Lines("class A:\n"
                    "  def f():\n"
                    "    pass\n"
                    "  b : int\n"
                    "class B:\n"),
              ElementsAre("0 class A :", "1 def f ( ) :", "2 pass", "1 b : int",
                          "0 class B :"));
}

TEST(CodeLinesTest, ALineGoesOnInsideBrackets) {
  EXPECT_THAT(Lines("f(a,\n    b)\nc"), ElementsAre("0 f ( a , b )", "0 c"));
}

TEST(CodeLinesTest, BlankLinesAndCommentsAreNoLines) {
  EXPECT_THAT(Lines("\n  # nothing\na\n\n  b\n"), ElementsAre("0 a", "1 b"));
  EXPECT_THAT(Lines(""), IsEmpty());
}

}  // namespace
}  // namespace ns
