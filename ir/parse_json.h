// Reads JSON that users may have written or changed.
#ifndef IR_PARSE_JSON_H_
#define IR_PARSE_JSON_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"

namespace ns {

// How deep arrays and objects may nest.
constexpr int kMaxJsonDepth = 100;

// Reads one JSON value, in UTF-8. Errors, of one line: text that is no JSON,
// with line and column; a number that no double holds; an object that has a
// member twice; nesting deeper than kMaxJsonDepth.
//
// Nothing here throws. Of nlohmann::json, at(), get<T>() and value() do: ask
// is_string() and the like first, and then take get_ptr().
absl::StatusOr<nlohmann::json> ParseJson(absl::string_view text);

// Returns `text` as a JSON string, in quotes; what is not valid UTF-8 becomes
// U+FFFD.
std::string JsonString(absl::string_view text);

// Returns the first `most` bytes of `text` for a message of one line: control
// characters are escaped, and "..." stands for the rest.
std::string OneLine(absl::string_view text, size_t most);

// Returns the error "'VALUE' must be WHAT". VALUE is JSON, a string without
// its quotes, and is cut after 60 bytes.
absl::Status MustBe(const nlohmann::json& value, absl::string_view what);

// Returns the error for a member `name` that an object must not have: "has no
// field 'NAME'; did you mean 'NEAREST'?", or a list of the `known` names where
// none is similar. The caller puts in front what the object is.
absl::Status NoField(absl::string_view name,
                     absl::Span<const absl::string_view> known);

}  // namespace ns

#endif  // IR_PARSE_JSON_H_
