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

// Returns the number that is the member `name`, where "inf", "-inf" and "nan"
// are numbers. Absent when there is none.
std::optional<double> NumberMember(const nlohmann::json& value,
                                   absl::string_view name);

// Returns the array that is the member `name`; an empty one when there is none.
const nlohmann::json& ArrayMember(const nlohmann::json& value,
                                  absl::string_view name);

}  // namespace ns

#endif  // NS_REPORT_JSON_VIEW_H_
