// Groups the tokens of TorchScript code and IR text into lines.
#ifndef IR_TEXT_CODE_LINES_H_
#define IR_TEXT_CODE_LINES_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "ir/text/code_tokens.h"

namespace ns {

struct CodeLine {
  // At least one: words, strings and marks.
  absl::Span<const CodeToken> tokens;
  // How many blocks enclose the line.
  size_t depth = 0;
};

// Returns the lines of `tokens`, the result of CodeTokens, in order. They refer
// to `tokens`.
std::vector<CodeLine> CodeLines(absl::Span<const CodeToken> tokens);

}  // namespace ns

#endif  // IR_TEXT_CODE_LINES_H_
