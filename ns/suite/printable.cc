#include "ns/suite/printable.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

void AppendEscape(unsigned char control, std::string& text) {
  absl::StrAppend(&text, "\\x", absl::Hex(control, absl::kZeroPad2));
}

}  // namespace

std::string Printable(absl::string_view text) {
  constexpr unsigned char kC1Lead = 0xC2;  // of U+0080 to U+009F in UTF-8
  std::string printable;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next =
        static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte < 0x20 || byte == 0x7F) {
      AppendEscape(byte, printable);
    } else if (byte == kC1Lead && next >= 0x80 && next < 0xA0) {
      AppendEscape(next, printable);
      ++i;
    } else {
      printable += text[i];
    }
  }
  return printable;
}

}  // namespace ns
