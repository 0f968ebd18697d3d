#include "ir/json/split_list.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/json/json_text.h"

namespace ns {
namespace {

bool IsBlank(absl::string_view text) {
  return absl::StripAsciiWhitespace(text).empty();
}

// Returns the place of the bracket that opens the list; npos if there is none.
size_t StartOfList(absl::string_view text, absl::string_view name) {
  const std::string quoted = absl::StrCat("\"", name, "\"");
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const size_t end = EndOfJsonString(text, i + 1);
      const bool is_name = depth == 1 && text.substr(i, end + 1 - i) == quoted;
      if (is_name && end < text.size()) {
        absl::string_view after =
            absl::StripLeadingAsciiWhitespace(text.substr(end + 1));
        if (absl::StartsWith(after, ":")) {
          after = absl::StripLeadingAsciiWhitespace(after.substr(1));
          return absl::StartsWith(after, "[")
                     ? static_cast<size_t>(after.data() - text.data())
                     : absl::string_view::npos;
        }
      }
      i = end;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return absl::string_view::npos;
}

}  // namespace

std::optional<SplitText> SplitList(absl::string_view text,
                                   absl::string_view name) {
  const size_t start = StartOfList(text, name);
  if (start == absl::string_view::npos) {
    return std::nullopt;
  }
  SplitText split;
  size_t element = start + 1;
  size_t depth = 1;
  for (size_t i = start + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = EndOfJsonString(text, i + 1);
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    const bool is_end = depth == 0;
    if (!is_end && (c != ',' || depth > 1)) {
      continue;
    }
    const absl::string_view content = text.substr(element, i - element);
    if (!IsBlank(content)) {
      split.elements.push_back(content);
    } else if (!is_end || !split.elements.empty()) {
      return std::nullopt;
    }
    if (is_end) {
      split.rest = absl::StrCat(text.substr(0, start + 1), text.substr(i));
      return split;
    }
    element = i + 1;
  }
  return std::nullopt;
}

}  // namespace ns
