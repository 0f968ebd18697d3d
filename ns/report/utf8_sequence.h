// Finds the characters of text that may hold any bytes.
#ifndef NS_REPORT_UTF8_SEQUENCE_H_
#define NS_REPORT_UTF8_SEQUENCE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace ns {

// Returns the bytes of the UTF-8 sequence that `text` starts with, or 0 when it
// is not a valid one: cut short, overlong, a surrogate, or above U+10FFFF
// (Unicode 15.0, table 3-7). Empty text counts as a zero byte.
size_t Utf8SequenceLength(absl::string_view text);

}  // namespace ns

#endif  // NS_REPORT_UTF8_SEQUENCE_H_
