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

// Arrays and objects in each other; what is nested deeper is an error.
constexpr int kMaxJsonDepth = 100;

// Reads one JSON value, in UTF-8. Errors, of one line: text that is no JSON,
// with line and column; a number that no double holds; an object that has a
// member twice; kMaxJsonDepth.
//
// Nothing here throws. Of nlohmann::json, at(), get<T>() and value() do: ask
// is_string() and the like first, and then take get_ptr().
absl::StatusOr<nlohmann::json> ParseJson(absl::string_view text);

// Returns `text` as a JSON string, in quotes; each byte that is not part of
// valid UTF-8 becomes U+FFFD.
std::string JsonString(absl::string_view text);

// For messages: returns `text` as a part of one line, with control characters
// escaped and at most `most` bytes of it, then "...".
std::string OneLine(absl::string_view text, size_t most);

// Returns the error "'VALUE' must be WHAT".
absl::Status MustBe(const nlohmann::json& value, absl::string_view what);

// Returns the error for a member that an object of the user's has and that is
// none of `known`; it has the nearest one.
absl::Status NoField(absl::string_view name,
                     absl::Span<const absl::string_view> known);

}  // namespace ns

#endif  // IR_PARSE_JSON_H_
