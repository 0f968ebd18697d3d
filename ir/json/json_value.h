// Looks into parsed JSON that may have any form.
#ifndef IR_JSON_JSON_VALUE_H_
#define IR_JSON_JSON_VALUE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "llvm/Support/JSON.h"

namespace ns {

// The name of a member of an object, and its value. Both live in the object.
using JsonMember = std::pair<absl::string_view, const llvm::json::Value*>;

// Returns the members of `object`, sorted by name: llvm::json::Object keeps
// them in the order of their hashes.
std::vector<JsonMember> SortedMembers(const llvm::json::Object& object);

// Returns the member `name` of `value`; null where `value` is not an object or
// has no such member.
const llvm::json::Value* FindMember(const llvm::json::Value& value,
                                    absl::string_view name);

// Returns the string that `value` is; absent for other values.
std::optional<std::string> TextOf(const llvm::json::Value& value);

// Returns the number that `value` is; the strings "inf", "-inf" and "nan", for
// which JSON has no numbers, count. Absent for other values.
std::optional<double> NumberOf(const llvm::json::Value& value);

// Return the member `name` of `value` where it is of the type asked for. A
// member that is missing or of another type reads as "", nothing, and an empty
// array.
std::string TextMember(const llvm::json::Value& value, absl::string_view name);
std::optional<double> NumberMember(const llvm::json::Value& value,
                                   absl::string_view name);
const llvm::json::Array& ArrayMember(const llvm::json::Value& value,
                                     absl::string_view name);

}  // namespace ns

#endif  // IR_JSON_JSON_VALUE_H_
