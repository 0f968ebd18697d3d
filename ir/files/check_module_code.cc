#include "ir/files/check_module_code.h"

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/base/status.h"
#include "ir/text/check_nesting.h"
#include "ir/text/code_lines.h"
#include "ir/text/code_tokens.h"

namespace ns {
namespace {

using Tokens = absl::Span<const CodeToken>;

// Attributes of a class that are lists of names, and have no type.
constexpr absl::string_view kLists[] = {
    "__annotations__", "__buffers__", "__forward_hooks__",
    "__forward_pre_hooks__", "__parameters__"};

// Which parts a statement `name : type = value` has.
struct Parts {
  bool has_type = false;
  bool has_value = false;
};

Parts PartsOf(Tokens line) {
  Parts parts;
  int64_t depth = 0;
  for (const CodeToken& token : line) {
    depth += OpensBracket(token) ? 1 : ClosesBracket(token) ? -1 : 0;
    if (depth == 0 && !parts.has_value) {
      parts.has_type = parts.has_type || IsMark(token, ':');
      parts.has_value = IsMark(token, '=');
    }
  }
  return parts;
}

// Returns the name of the class that the head `class Name(Super):` extends; ""
// where there is none.
absl::string_view SuperclassOf(Tokens head) {
  const auto open = absl::c_find_if(
      head, [](const CodeToken& token) { return IsMark(token, '('); });
  return head.end() - open > 1 ? open[1].text : "";
}

// Checks a line in the body of a class that extends `superclass`.
absl::Status CheckMember(Tokens line, absl::string_view superclass) {
  if (IsWord(line[0], "def") || IsWord(line[0], "pass")) {
    return absl::OkStatus();
  }
  const Parts parts = PartsOf(line);
  const bool is_item = line.size() > 1 && IsMark(line[1], '[');
  const bool needs_value = superclass == "Enum" || is_item ||
                           absl::c_linear_search(kLists, line[0].text);
  if (needs_value ? parts.has_value : parts.has_type) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a class has a statement without a ", needs_value ? "value" : "type"));
}

// Checks the lines that are directly in the bodies of classes.
absl::Status CheckClasses(Tokens tokens) {
  bool in_class = false;
  absl::string_view superclass;
  for (const CodeLine& line : CodeLines(tokens)) {
    if (line.depth == 0) {
      in_class = IsWord(line.tokens[0], "class");
      superclass = in_class ? SuperclassOf(line.tokens) : "";
    } else if (line.depth == 1 && in_class) {
      NS_RETURN_IF_ERROR(CheckMember(line.tokens, superclass));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckModuleCode(absl::string_view code) {
  const std::vector<CodeToken> tokens = CodeTokens(code);
  NS_RETURN_IF_ERROR(CheckNesting(tokens));
  return CheckClasses(tokens);
}

absl::Status CheckTypeText(absl::string_view type) {
  return CheckNesting(CodeTokens(type));
}

}  // namespace ns
