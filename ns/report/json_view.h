// Reads members of JSON that may have any form, without exceptions.
#ifndef NS_REPORT_JSON_VIEW_H_
#define NS_REPORT_JSON_VIEW_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace ns {

// Returns the member `name` of `value`; null when it is no object, or has none.
const nlohmann::json* Member(const nlohmann::json& value,
                             absl::string_view name);

// Returns the string that is the member `name`; empty when there is none.
std::string StringMember(const nlohmann::json& value, absl::string_view name);

// Returns the number that `value` is; the strings "inf", "-inf" and "nan" are
// numbers, too. Absent for other values.
std::optional<double> NumberOf(const nlohmann::json& value);

// Returns NumberOf the member `name`; absent when there is none.
std::optional<double> NumberMember(const nlohmann::json& value,
                                   absl::string_view name);

// Returns the array that is the member `name`; an empty one when there is none.
const nlohmann::json& ArrayMember(const nlohmann::json& value,
                                  absl::string_view name);

// A figure in dB, and the name of what has it.
struct NamedDb {
  std::string name;
  double db = 0;
};

// Returns the element of an array with the lowest "sqnr_db", nan before all,
// and its "name"; absent where none has such a number. Elements with "integers"
// (ModuleOutputComparison::holds_integers) do not count.
std::optional<NamedDb> LowestSqnr(const nlohmann::json& array);

}  // namespace ns

#endif  // NS_REPORT_JSON_VIEW_H_
