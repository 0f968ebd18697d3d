// Formats numbers and strings the way JSON spells them.
#ifndef IR_JSON_JSON_TEXT_H_
#define IR_JSON_JSON_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "llvm/Support/JSON.h"

namespace ns {

// Returns the shortest decimal text that reads back as `value`, always with a
// point or an exponent ("30.0"), so that readers see a float. Infinities and
// NaN are "inf", "-inf" and "nan".
std::string FormatDouble(double value);

// Returns `text` in quotes, as a JSON string. Non-ASCII characters stay as they
// are; each byte that is not part of valid UTF-8 becomes U+FFFD.
std::string QuoteJson(absl::string_view text);

// Returns the place of the quote that ends the JSON string whose text begins at
// `start`, or the end of `text`.
size_t EndOfJsonString(absl::string_view text, size_t start);

// Returns `value` on one line without spaces, members sorted by name.
std::string JsonText(const llvm::json::Value& value);

// Returns the first `most` bytes of `text` for a message of one line: control
// characters are escaped, and "..." stands for the rest.
std::string OneLine(absl::string_view text, size_t most);

}  // namespace ns

#endif  // IR_JSON_JSON_TEXT_H_
