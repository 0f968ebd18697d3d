#include "ir/text/check_graph_text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/text/code_lines.h"

namespace ns {
namespace {

using Kind = CodeToken::Kind;
using Tokens = absl::Span<const CodeToken>;
using Names = absl::flat_hash_set<std::string>;

// Returns the name after the '%' that `tokens` start with: words and dots.
std::string NameOf(Tokens tokens) {
  std::string name;
  for (const CodeToken& token : tokens.subspan(1)) {
    // A space ends a name, so that the next token is not next to it.
    const bool is_part = token.kind == Kind::kWord || IsMark(token, '.');
    if (!is_part ||
        (!name.empty() &&
         token.text.data() != tokens[1].text.data() + name.size())) {
      break;
    }
    absl::StrAppend(&name, token.text);
  }
  return name;
}

// Whether a line is the head of a graph or a block, `block0(...):`, and not an
// operator without outputs, `prim::Print(...)`.
bool IsHead(Tokens line) {
  return line.size() > 1 && line[0].kind == Kind::kWord &&
         line[0].text != "return" && IsMark(line[1], '(');
}

// Returns the names that a line defines: of parameters for a head, of outputs
// for an operator.
std::vector<std::string> DefinedBy(Tokens line) {
  // Parameters are inside one bracket; what is deeper belongs to types.
  const int level = IsHead(line) ? 1 : 0;
  if (level == 0 && !IsMark(line[0], '%')) {
    return {};
  }
  std::vector<std::string> names;
  int depth = 0;
  bool is_start = level == 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const CodeToken& token = line[i];
    if (is_start && depth == level && IsMark(token, '%')) {
      names.push_back(NameOf(line.subspan(i)));
    }
    depth += OpensBracket(token) ? 1 : ClosesBracket(token) ? -1 : 0;
    is_start = depth == level && (IsMark(token, ',') || OpensBracket(token));
    const bool ends = level == 0 ? IsMark(token, '=') : ClosesBracket(token);
    if (depth == 0 && ends) {
      break;
    }
  }
  return names;
}

class Checker {
 public:
  absl::Status Check(Tokens tokens) {
    for (const CodeLine& line : CodeLines(tokens)) {
      EnterBlock(line.depth);
      NS_RETURN_IF_ERROR(CheckLine(line.tokens));
    }
    return absl::OkStatus();
  }

 private:
  // Leaves the blocks that ended before a line that `depth` blocks enclose, and
  // enters the one that starts there.
  void EnterBlock(size_t depth) {
    scopes_.resize(std::min(scopes_.size(), depth + 1));
    while (scopes_.size() <= depth) {
      scopes_.push_back(std::move(parameters_));
      parameters_.clear();
    }
  }

  absl::Status CheckLine(Tokens line) {
    if (has_returned_) {
      return absl::InvalidArgumentError(
          "goes on after the graph's return; give one graph");
    }
    has_returned_ = IsWord(line[0], "return");
    Names& names = IsHead(line) ? parameters_ : scopes_.back();
    if (IsHead(line)) {
      parameters_.clear();
    }
    for (std::string& name : DefinedBy(line)) {
      const bool is_known = names.contains(name) ||
                            absl::c_any_of(scopes_, [&](const Names& scope) {
                              return scope.contains(name);
                            });
      if (is_known) {
        return absl::InvalidArgumentError(absl::StrCat(
            "defines %", name, " twice; give each value a name of its own"));
      }
      names.insert(std::move(name));
    }
    return absl::OkStatus();
  }

  // The values that are visible, by block from the outermost on.
  std::vector<Names> scopes_ = {{}};
  // The parameters of the block that starts next.
  Names parameters_;
  bool has_returned_ = false;
};

}  // namespace

absl::Status CheckGraphText(Tokens tokens) { return Checker().Check(tokens); }

}  // namespace ns
