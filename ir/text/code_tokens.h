// Splits TorchScript code and IR text into tokens, as LibTorch's lexer does, so
// that both can be checked before LibTorch's parsers see them.
#ifndef IR_TEXT_CODE_TOKENS_H_
#define IR_TEXT_CODE_TOKENS_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

struct CodeToken {
  enum class Kind {
    // A name, a keyword or a number: letters, digits and underscores.
    kWord,
    // A string literal, with its quotes.
    kString,
    // One other character: '(', '+', '.'.
    kMark,
    // The end of a line outside brackets; "" is its text, as that of the next
    // two.
    kNewline,
    // The next line is indented more than the last one.
    kIndent,
    // The next line is outside one level of indentation.
    kDedent,
  };

  Kind kind = Kind::kMark;
  absl::string_view text;
};

// Returns the tokens of `code`, which they refer to. Any bytes are safe. Blank
// lines, comments and lines that continue inside brackets have no tokens of
// their own; a comment that starts with "# type:" is code to LibTorch, and so
// here. Every indent has its dedent.
std::vector<CodeToken> CodeTokens(absl::string_view code);

inline bool IsMark(const CodeToken& token, char mark) {
  return token.kind == CodeToken::Kind::kMark && token.text[0] == mark;
}

inline bool IsWord(const CodeToken& token, absl::string_view word) {
  return token.kind == CodeToken::Kind::kWord && token.text == word;
}

inline bool OpensBracket(const CodeToken& token) {
  return IsMark(token, '(') || IsMark(token, '[') || IsMark(token, '{');
}

inline bool ClosesBracket(const CodeToken& token) {
  return IsMark(token, ')') || IsMark(token, ']') || IsMark(token, '}');
}

}  // namespace ns

#endif  // IR_TEXT_CODE_TOKENS_H_
