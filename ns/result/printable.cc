#include "ns/result/printable.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

// Returns the number of bytes of the character that `text` starts with, or 0
// where they are no UTF-8.
size_t SequenceLength(absl::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (length > text.size()) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      return 0;
    }
  }
  // Forms that are longer than they need to be, surrogates, and numbers beyond
  // the last character.
  const auto next = static_cast<unsigned char>(length > 2 ? text[1] : 0);
  const bool is_wrong =
      (lead == 0xE0 && next < 0xA0) || (lead == 0xED && next >= 0xA0) ||
      (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next >= 0x90);
  return is_wrong ? 0 : length;
}

// Returns the number of the character that `sequence` is.
uint32_t CodePoint(absl::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) {
    return lead;
  }
  uint32_t code = lead & (0x7F >> sequence.size());
  for (const char c : sequence.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  }
  return code;
}

bool IsControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

// Whether a character is not seen itself, but moves or breaks the text around
// it: marks of direction, and separators of lines and paragraphs.
bool IsFormat(uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string Printable(absl::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      absl::StrAppend(
          &printable, "\\x",
          absl::Hex(static_cast<unsigned char>(text[0]), absl::kZeroPad2));
      text.remove_prefix(1);
      continue;
    }
    const absl::string_view sequence = text.substr(0, length);
    const uint32_t code = CodePoint(sequence);
    if (IsControl(code)) {
      absl::StrAppend(&printable, "\\x", absl::Hex(code, absl::kZeroPad2));
    } else if (IsFormat(code)) {
      absl::StrAppend(&printable, "\\u", absl::Hex(code, absl::kZeroPad4));
    } else {
      absl::StrAppend(&printable, sequence);
    }
    text.remove_prefix(length);
  }
  return printable;
}

}  // namespace ns
