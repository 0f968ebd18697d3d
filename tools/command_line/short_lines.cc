#include "tools/command_line/short_lines.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace ns {
namespace {

constexpr size_t kMostBytes = 4000;

void AppendShortened(absl::string_view line, std::string* text) {
  if (line.size() <= kMostBytes) {
    absl::StrAppend(text, line);
    return;
  }
  const auto is_tail = [&](size_t i) {
    return (static_cast<unsigned char>(line[i]) & 0xC0) == 0x80;
  };
  size_t first = kMostBytes / 2;
  size_t last = line.size() - kMostBytes / 2;
  while (first > 0 && is_tail(first)) {
    --first;
  }
  while (last < line.size() && is_tail(last)) {
    ++last;
  }
  absl::StrAppend(text, line.substr(0, first), " ... ", line.substr(last));
}

}  // namespace

std::string ShortLines(absl::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, '\n'), "\n",
                       [](std::string* out, absl::string_view line) {
                         AppendShortened(line, out);
                       });
}

}  // namespace ns
