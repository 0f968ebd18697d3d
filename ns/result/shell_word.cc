#include "ns/result/shell_word.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

// The inside of $'...'.
std::string Escaped(absl::string_view word) {
  std::string escaped;
  for (const char c : word) {
    if (c == '\'' || c == '\\') {
      absl::StrAppend(&escaped, "\\", absl::string_view(&c, 1));
    } else if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
      escaped += c;
    } else {
      // Three digits: the next character is no part of the number.
      absl::StrAppendFormat(&escaped, "\\%03o", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

}  // namespace

std::string ShellWord(absl::string_view path) {
  constexpr absl::string_view kPlain = "-_./+:,@%=";
  // A name that starts with a dash would be an option.
  const std::string word =
      absl::StrCat(absl::StartsWith(path, "-") ? "./" : "", path);
  const bool is_plain = absl::c_all_of(word, [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains(kPlain, c);
  });
  if (is_plain && !word.empty()) {
    return word;
  }
  return Printable(word) == word
             ? absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}),
                            "'")
             : absl::StrCat("$'", Escaped(word), "'");
}

}  // namespace ns
