#include "ir/json/read_json.h"

#include "absl/strings/str_cat.h"
#include "ir/json/parse_json.h"

namespace ns {

using llvm::json::Value;

std::string JsonPlace::Text() const {
  if (parent_ == nullptr) {
    return "";
  }
  const std::string before = parent_->Text();
  return index_ ? absl::StrCat(before, "[", *index_, "]")
                : absl::StrCat(before, before.empty() ? "" : ".", key_);
}

JsonIn::JsonIn(const Value& value, const JsonPlace& place, absl::Status& status)
    : value_(value), place_(place), status_(status) {
  if (value.getAsObject() == nullptr) {
    Refuse(value, place, "an object", status);
  }
}

void JsonIn::Schema(absl::string_view name, absl::string_view writer) {
  std::string schema;
  (*this)("schema", schema);
  if (schema != name) {
    RefuseMember("schema", absl::StrCat("'", name, "'; give ", writer));
  }
}

void JsonIn::Check(bool holds, absl::string_view what) {
  if (!holds) {
    Refuse(value_, place_, what, status_);
  }
}

void JsonIn::ReadBool(const Value& json, const JsonPlace& place, bool& value,
                      absl::Status& status) {
  if (const auto boolean = json.getAsBoolean()) {
    value = *boolean;
  } else {
    Refuse(json, place, "true or false", status);
  }
}

void JsonIn::ReadText(const Value& json, const JsonPlace& place,
                      std::string& value, absl::Status& status) {
  if (const auto text = TextOf(json)) {
    value = *text;
  } else {
    Refuse(json, place, "a string", status);
  }
}

void JsonIn::ReadNumber(const Value& json, const JsonPlace& place,
                        double& value, absl::Status& status) {
  if (const auto number = NumberOf(json)) {
    value = *number;
  } else {
    Refuse(json, place, "a number, \"inf\", \"-inf\" or \"nan\"", status);
  }
}

void JsonIn::ReadInteger(const Value& json, const JsonPlace& place,
                         int64_t lowest, int64_t highest, int64_t& value,
                         absl::Status& status) {
  const auto integer = json.getAsInteger();
  if (integer && *integer >= lowest && *integer <= highest) {
    value = *integer;
  } else {
    Refuse(
        json, place,
        lowest == 0 ? "a whole number that is not negative" : "a whole number",
        status);
  }
}

void JsonIn::Refuse(const Value& json, const JsonPlace& place,
                    absl::string_view what, absl::Status& status) {
  if (!status.ok()) {
    return;
  }
  const std::string where = place.Text();
  status = absl::InvalidArgumentError(absl::StrCat(
      where, where.empty() ? "" : ": ", MustBe(json, what).message()));
}

const Value* JsonIn::Member(absl::string_view key) {
  if (!status_.ok()) {
    return nullptr;
  }
  asked_.push_back(key);
  return FindMember(value_, key);
}

void JsonIn::Miss(absl::string_view key) {
  if (status_.ok()) {
    const std::string where = place_.Text();
    status_ = absl::InvalidArgumentError(
        absl::StrCat(where, where.empty() ? "" : ": ", "has no \"", key, "\""));
  }
}

void JsonIn::RefuseMember(absl::string_view key, absl::string_view what) {
  if (const Value* member = FindMember(value_, key)) {
    Refuse(*member, JsonPlace(place_, key), what, status_);
  }
}

std::vector<std::pair<std::string, double>> JsonIn::OtherNumbers(
    const std::vector<std::string>& known) const {
  std::vector<std::pair<std::string, double>> numbers;
  const auto* object = value_.getAsObject();
  if (object == nullptr || !status_.ok()) {
    return numbers;
  }
  for (const auto& [name, member] : SortedMembers(*object)) {
    const auto number = NumberOf(*member);
    // A count is written without a point, which LLVM alone can tell.
    if (number && !member->getAsUINT64() &&
        !absl::c_linear_search(asked_, name) &&
        !absl::c_linear_search(known, name)) {
      numbers.emplace_back(name, *number);
    }
  }
  return numbers;
}

}  // namespace ns
