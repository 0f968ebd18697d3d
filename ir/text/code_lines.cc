#include "ir/text/code_lines.h"

namespace ns {

std::vector<CodeLine> CodeLines(absl::Span<const CodeToken> tokens) {
  using Kind = CodeToken::Kind;
  std::vector<CodeLine> lines;
  size_t depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    switch (tokens[i].kind) {
      case Kind::kIndent:
        ++depth;
        break;
      case Kind::kDedent:
        --depth;
        break;
      case Kind::kNewline:
        lines.push_back({tokens.subspan(start, i - start), depth});
        break;
      default:
        continue;
    }
    start = i + 1;
  }
  return lines;
}

}  // namespace ns
