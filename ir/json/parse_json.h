// Parses JSON that users may have written or changed.
#ifndef IR_JSON_PARSE_JSON_H_
#define IR_JSON_PARSE_JSON_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/Support/JSON.h"

namespace ns {

// How deep arrays and objects may nest: LLVM's parser recurses.
constexpr int kMaxJsonDepth = 100;

// Parses one JSON value, in UTF-8, which a byte order mark may precede. Errors,
// of one line: text that is not JSON, with line and column; a number that no
// double holds, or a whole one that does not fit 64 bits; an object that has a
// member twice; nesting deeper than kMaxJsonDepth.
absl::StatusOr<llvm::json::Value> ParseJson(absl::string_view text);

// Returns the error "'VALUE' must be WHAT". VALUE is JSON, a string without
// its quotes, and is cut after 60 bytes.
absl::Status MustBe(const llvm::json::Value& value, absl::string_view what);

// Returns the error for a member `name` that an object must not have: "has no
// field 'NAME'; did you mean 'NEAREST'?", or a list of the `known` names where
// none is similar. The caller adds what the object is.
absl::Status NoField(absl::string_view name,
                     absl::Span<const absl::string_view> known);

}  // namespace ns

#endif  // IR_JSON_PARSE_JSON_H_
