#include "ir/json/utf8_sequence.h"

namespace ns {

size_t Utf8SequenceLength(absl::string_view text) {
  const auto byte = [text](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto is_tail = [&byte](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  const unsigned next = byte(1);
  if (lead < 0x80) {
    return 1;
  }
  if (lead < 0xC2 || lead > 0xF4 || !is_tail(1)) {
    return 0;
  }
  if (lead < 0xE0) {
    return 2;
  }
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && next < 0xA0;
    const bool surrogate = lead == 0xED && next >= 0xA0;
    return is_tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = lead == 0xF0 && next < 0x90;
  const bool too_large = lead == 0xF4 && next >= 0x90;
  return is_tail(2) && is_tail(3) && !overlong && !too_large ? 4 : 0;
}

}  // namespace ns
