#include "ns/report/json_view.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "ns/report/figure_text.h"

namespace ns {

using Json = nlohmann::json;

namespace {

// The number that JSON has a string for; absent for another string.
std::optional<double> NamedNumber(const std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf") {
    return kInfinity;
  }
  if (text == "-inf") {
    return -kInfinity;
  }
  return text == "nan" ? std::optional(std::numeric_limits<double>::quiet_NaN())
                       : std::nullopt;
}

}  // namespace

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

std::optional<double> NumberOf(const Json& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) {
    return NamedNumber(*text);
  }
  if (const auto* number = value.get_ptr<const double*>()) {
    return *number;
  }
  // A number without a sign is an int64_t to get_ptr, too, whatever its size.
  if (const auto* number = value.get_ptr<const uint64_t*>()) {
    return static_cast<double>(*number);
  }
  if (const auto* number = value.get_ptr<const int64_t*>()) {
    return static_cast<double>(*number);
  }
  return std::nullopt;
}

std::optional<double> NumberMember(const Json& value, absl::string_view name) {
  const Json* member = Member(value, name);
  return member == nullptr ? std::nullopt : NumberOf(*member);
}

const Json& ArrayMember(const Json& value, absl::string_view name) {
  static const Json& empty = *new Json(Json::array());
  const Json* member = Member(value, name);
  return member != nullptr && member->is_array() ? *member : empty;
}

std::optional<NamedDb> LowestSqnr(const Json& array) {
  std::optional<NamedDb> lowest;
  for (const Json& element : array) {
    const std::optional<double> db = NumberMember(element, "sqnr_db");
    if (db && Member(element, "integers") == nullptr &&
        (!lowest || IsLowerDb(*db, lowest->db))) {
      lowest = NamedDb{StringMember(element, "name"), *db};
    }
  }
  return lowest;
}

}  // namespace ns
