#include "ns/report/json_view.h"

#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace ns {

using Json = nlohmann::json;

const Json* Member(const Json& value, absl::string_view name) {
  if (!value.is_object()) {
    return nullptr;
  }
  const auto found = value.find(std::string(name));
  return found == value.end() ? nullptr : &*found;
}

std::string StringMember(const Json& value, absl::string_view name) {
  const Json* member = Member(value, name);
  return member != nullptr && member->is_string()
             ? *member->get_ptr<const Json::string_t*>()
             : "";
}

std::optional<double> NumberMember(const Json& value, absl::string_view name) {
  const Json* member = Member(value, name);
  if (member == nullptr) {
    return std::nullopt;
  }
  if (member->is_number_unsigned()) {
    return static_cast<double>(
        *member->get_ptr<const Json::number_unsigned_t*>());
  }
  if (member->is_number_integer()) {
    return static_cast<double>(
        *member->get_ptr<const Json::number_integer_t*>());
  }
  if (member->is_number_float()) {
    return *member->get_ptr<const Json::number_float_t*>();
  }
  const std::string text = StringMember(value, name);
  return text == "inf"    ? std::make_optional<double>(INFINITY)
         : text == "-inf" ? std::make_optional<double>(-INFINITY)
         : text == "nan"  ? std::make_optional<double>(NAN)
                          : std::nullopt;
}

const Json& ArrayMember(const Json& value, absl::string_view name) {
  static const Json& empty = *new Json(Json::array());
  const Json* member = Member(value, name);
  return member != nullptr && member->is_array() ? *member : empty;
}

}  // namespace ns
