// Finds the characters of text that may hold any bytes.
#ifndef IR_JSON_UTF8_SEQUENCE_H_
#define IR_JSON_UTF8_SEQUENCE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace ns {

// Returns how many bytes the UTF-8 sequence has that `text` starts with, 1 to
// 4, or 0 when it is not a valid one: cut short, overlong, a surrogate, or
// above U+10FFFF (Unicode 15.0, table 3-7). Returns 1 for empty text.
size_t Utf8SequenceLength(absl::string_view text);

}  // namespace ns

#endif  // IR_JSON_UTF8_SEQUENCE_H_
