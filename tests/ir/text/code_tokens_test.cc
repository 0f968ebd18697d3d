#include "ir/text/code_tokens.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = CodeToken::Kind;

// Returns the texts of the tokens, where "$" is the end of a line, ">" an
// indent and "<" a dedent.
std::vector<std::string> Texts(absl::string_view code) {
  std::vector<std::string> texts;
  for (const CodeToken& token : CodeTokens(code)) {
    texts.push_back(token.kind == Kind::kNewline  ? "$"
                    : token.kind == Kind::kIndent ? ">"
                    : token.kind == Kind::kDedent ? "<"
                                                  : std::string(token.text));
  }
  return texts;
}

// Returns the text and the kind of each token of a line, without its end.
std::vector<std::pair<std::string, Kind>> Kinds(absl::string_view code) {
  std::vector<std::pair<std::string, Kind>> kinds;
  for (const CodeToken& token : CodeTokens(code)) {
    kinds.emplace_back(token.text, token.kind);
  }
  kinds.pop_back();
  return kinds;
}

TEST(CodeTokensTest, ALineEndsWithAToken) {
  EXPECT_THAT(Texts("a\nb\n"), ElementsAre("a", "$", "b", "$"));
}

TEST(CodeTokensTest, TheLastLineEndsWithoutALineBreakToo) {
  EXPECT_THAT(Texts("a\nb"), ElementsAre("a", "$", "b", "$"));
}

TEST(CodeTokensTest, NoCodeHasNoTokens) {
  EXPECT_THAT(Texts(""), IsEmpty());
  EXPECT_THAT(Texts(" \t\n\n  "), IsEmpty());
  EXPECT_THAT(Texts("# nothing"), IsEmpty());
  EXPECT_THAT(Texts("  # nothing\n"), IsEmpty());
}

TEST(CodeTokensTest, WordsAreLettersDigitsAndUnderscores) {
  EXPECT_THAT(Kinds("_x1 2.5"), ElementsAre(std::make_pair("_x1", Kind::kWord),
                                            std::make_pair("2", Kind::kWord),
                                            std::make_pair(".", Kind::kMark),
                                            std::make_pair("5", Kind::kWord)));
}

TEST(CodeTokensTest, OtherCharactersAreMarksOfTheirOwn) {
  EXPECT_THAT(Kinds("->="), ElementsAre(std::make_pair("-", Kind::kMark),
                                        std::make_pair(">", Kind::kMark),
                                        std::make_pair("=", Kind::kMark)));
}

TEST(CodeTokensTest, TokensReferToTheCode) {
  const std::string code = "a = b";
  const std::vector<CodeToken> tokens = CodeTokens(code);
  EXPECT_EQ(tokens[2].text.data(), code.data() + 4);
}

TEST(CodeTokensTest, StringsKeepTheirQuotes) {
  EXPECT_THAT(Kinds(R"(x = "a b" + 'c')"),
              ElementsAre(std::make_pair("x", Kind::kWord),
                          std::make_pair("=", Kind::kMark),
                          std::make_pair("\"a b\"", Kind::kString),
                          std::make_pair("+", Kind::kMark),
                          std::make_pair("'c'", Kind::kString)));
}

TEST(CodeTokensTest, AnEscapedQuoteDoesNotEndAString) {
  EXPECT_THAT(Texts(R"("a\"b" c)"), ElementsAre(R"("a\"b")", "c", "$"));
  EXPECT_THAT(Texts(R"("a\\" c)"), ElementsAre(R"("a\\")", "c", "$"));
}

TEST(CodeTokensTest, AStringMayBeEmpty) {
  EXPECT_THAT(Texts("\"\" ''"), ElementsAre("\"\"", "''", "$"));
}

TEST(CodeTokensTest, MarksInAStringArePartOfIt) {
  EXPECT_THAT(Texts("'(#' x"), ElementsAre("'(#'", "x", "$"));
}

TEST(CodeTokensTest, ThreeQuotesSpanLines) {
  EXPECT_THAT(Texts("\"\"\"a\n\"b\"\n\"\"\" c"),
              ElementsAre("\"\"\"a\n\"b\"\n\"\"\"", "c", "$"));
}

TEST(CodeTokensTest, AQuoteIsAMarkWhenItsLineDoesNotCloseIt) {
  EXPECT_THAT(Texts("'a\nb'"), ElementsAre("'", "a", "$", "b", "'", "$"));
  EXPECT_THAT(Texts("\"a\\"), ElementsAre("\"", "a", "\\", "$"));
}

TEST(CodeTokensTest, IndentsAndDedentsEncloseBlocks) {
  EXPECT_THAT(Texts("def f():\n  if a:\n    b\n  c\nd\n"),
              ElementsAre("def", "f", "(", ")", ":", "$", ">", "if", "a", ":",
                          "$", ">", "b", "$", "<", "c", "$", "<", "d", "$"));
}

TEST(CodeTokensTest, ALineMayEndSeveralBlocks) {
  EXPECT_THAT(
      Texts("a\n  b\n    c\nd"),
      ElementsAre("a", "$", ">", "b", "$", ">", "c", "$", "<", "<", "d", "$"));
}

TEST(CodeTokensTest, EveryIndentHasItsDedentAtTheEnd) {
  EXPECT_THAT(Texts("a\n  b\n    c"),
              ElementsAre("a", "$", ">", "b", "$", ">", "c", "$", "<", "<"));
}

TEST(CodeTokensTest, AFirstLineMayBeIndented) {
  EXPECT_THAT(Texts("  a\n  b\n"), ElementsAre(">", "a", "$", "b", "$", "<"));
}

TEST(CodeTokensTest, BlankLinesAndCommentsDoNotEndBlocks) {
  EXPECT_THAT(Texts("a\n  b\n\n# note\n  c\n"),
              ElementsAre("a", "$", ">", "b", "$", "c", "$", "<"));
}

TEST(CodeTokensTest, ACommentEndsWithItsLine) {
  EXPECT_THAT(Texts("a # b 'c\nd"), ElementsAre("a", "$", "d", "$"));
}

// The comment is not followed by a line break.
TEST(CodeTokensTest, ACommentMayEndTheCodeAfterAnIndentedLine) {
  EXPECT_THAT(Texts("a\n  b\n# end"),
              ElementsAre("a", "$", ">", "b", "$", "<"));
  EXPECT_THAT(Texts("a\n  b\n  # end"),
              ElementsAre("a", "$", ">", "b", "$", "<"));
  EXPECT_THAT(Texts("a\n  b  # end"),
              ElementsAre("a", "$", ">", "b", "$", "<"));
}

TEST(CodeTokensTest, ATypeCommentIsCode) {
  EXPECT_THAT(Texts("a # type: int\n"), ElementsAre("a", "int", "$"));
  EXPECT_THAT(Texts("# type: int\na"), ElementsAre("int", "$", "a", "$"));
}

TEST(CodeTokensTest, LinesContinueInsideBrackets) {
  EXPECT_THAT(Texts("f(a,\n  [b,\n\n# note\n c])\nd"),
              ElementsAre("f", "(", "a", ",", "[", "b", ",", "c", "]", ")", "$",
                          "d", "$"));
}

TEST(CodeTokensTest, LinesContinueAfterABackslash) {
  EXPECT_THAT(Texts("a \\\n  b\nc"), ElementsAre("a", "b", "$", "c", "$"));
}

TEST(CodeTokensTest, ABracketTooManyClosesNothing) {
  EXPECT_THAT(Texts(")\n(\na)\nb"),
              ElementsAre(")", "$", "(", "a", ")", "$", "b", "$"));
}

TEST(CodeTokensTest, AnyBytesAreSafe) {
  for (int first = 0; first < 256; ++first) {
    for (const absl::string_view rest :
         {"", "\n", "\\", "'", "\"\"\"", "#", "\n  #", "(\n", "  x\n #"}) {
      std::string code = "a\n  b\n";
      code += static_cast<char>(first);
      code.append(rest.data(), rest.size());
      size_t depth = 0;
      for (const CodeToken& token : CodeTokens(code)) {
        depth += token.kind == Kind::kIndent ? 1 : 0;
        depth -= token.kind == Kind::kDedent ? 1 : 0;
      }
      EXPECT_EQ(depth, 0) << first << " " << rest;
    }
  }
}

TEST(CodeTokenTest, MarksAndWordsAreToldApart) {
  const std::vector<CodeToken> tokens = CodeTokens("return ( 'return' )");
  EXPECT_TRUE(IsWord(tokens[0], "return"));
  EXPECT_FALSE(IsWord(tokens[0], "retur"));
  EXPECT_FALSE(IsWord(tokens[2], "return"));
  EXPECT_TRUE(IsMark(tokens[1], '('));
  EXPECT_FALSE(IsMark(tokens[1], ')'));
  // The end of a line has no text.
  EXPECT_FALSE(IsMark(tokens[4], '('));
}

TEST(CodeTokenTest, BracketsAreOfThreeKinds) {
  for (const absl::string_view code : {"()", "[]", "{}"}) {
    const std::vector<CodeToken> tokens = CodeTokens(code);
    EXPECT_TRUE(OpensBracket(tokens[0])) << code;
    EXPECT_FALSE(ClosesBracket(tokens[0])) << code;
    EXPECT_TRUE(ClosesBracket(tokens[1])) << code;
    EXPECT_FALSE(OpensBracket(tokens[1])) << code;
  }
  EXPECT_FALSE(OpensBracket(CodeTokens("<")[0]));
}

}  // namespace
}  // namespace ns
