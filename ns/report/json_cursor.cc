#include "ns/report/json_cursor.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/parse_json.h"
#include "ns/report/json_view.h"

namespace ns {
namespace {

using Json = nlohmann::json;

}  // namespace

void JsonCursor::Refuse(absl::string_view what) const {
  if (value_ == nullptr || !status_->ok()) {
    return;
  }
  const std::string message(MustBe(*value_, what).message());
  *status_ = absl::InvalidArgumentError(
      place_.empty() ? message : absl::StrCat(place_, ": ", message));
}

bool JsonCursor::IsObject() const {
  if (value_ == nullptr || !value_->is_object()) {
    Refuse("an object");
    return false;
  }
  return true;
}

JsonCursor JsonCursor::At(absl::string_view key) const {
  std::optional<JsonCursor> member = Find(key);
  if (member.has_value()) {
    return *std::move(member);
  }
  if (value_ != nullptr && status_->ok()) {
    *status_ = absl::InvalidArgumentError(absl::StrCat(
        place_, place_.empty() ? "" : ": ", "has no \"", key, "\""));
  }
  return {nullptr, "", status_};
}

std::optional<JsonCursor> JsonCursor::Find(absl::string_view key) const {
  if (!IsObject()) {
    return std::nullopt;
  }
  const auto member = value_->find(std::string(key));
  if (member == value_->end()) {
    return std::nullopt;
  }
  return JsonCursor(
      &*member, absl::StrCat(place_, place_.empty() ? "" : ".", key), status_);
}

std::vector<JsonCursor> JsonCursor::Items() const {
  std::vector<JsonCursor> items;
  if (value_ == nullptr || !value_->is_array()) {
    Refuse("a list");
    return items;
  }
  items.reserve(value_->size());
  for (size_t i = 0; i < value_->size(); ++i) {
    items.push_back(
        JsonCursor(&(*value_)[i], absl::StrCat(place_, "[", i, "]"), status_));
  }
  return items;
}

std::vector<std::string> JsonCursor::Keys() const {
  std::vector<std::string> keys;
  if (IsObject()) {
    for (const auto& [key, member] : value_->items()) {
      keys.push_back(key);
    }
  }
  return keys;
}

std::string JsonCursor::Text() const {
  const auto* text =
      value_ == nullptr ? nullptr : value_->get_ptr<const std::string*>();
  if (text == nullptr) {
    Refuse("a string");
    return "";
  }
  return *text;
}

bool JsonCursor::Bool() const {
  const auto* value =
      value_ == nullptr ? nullptr : value_->get_ptr<const bool*>();
  if (value == nullptr) {
    Refuse("true or false");
    return false;
  }
  return *value;
}

bool JsonCursor::IsFloat() const {
  return value_ != nullptr && !value_->is_number_integer() &&
         NumberOf(*value_).has_value();
}

double JsonCursor::Number() const {
  const std::optional<double> number =
      value_ == nullptr ? std::nullopt : NumberOf(*value_);
  if (!number.has_value()) {
    Refuse("a number, \"inf\", \"-inf\" or \"nan\"");
  }
  return number.value_or(0);
}

int64_t JsonCursor::Int() const {
  if (value_ != nullptr && value_->is_number_integer()) {
    const auto* positive = value_->get_ptr<const uint64_t*>();
    if (positive == nullptr ||
        *positive <=
            static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return *value_->get_ptr<const int64_t*>();
    }
  }
  Refuse("a whole number");
  return 0;
}

std::vector<double> JsonCursor::Numbers() const {
  std::vector<double> numbers;
  for (const JsonCursor& item : Items()) {
    numbers.push_back(item.Number());
  }
  return numbers;
}

std::vector<int64_t> JsonCursor::Ints() const {
  std::vector<int64_t> numbers;
  for (const JsonCursor& item : Items()) {
    numbers.push_back(item.Int());
  }
  return numbers;
}

std::vector<std::string> JsonCursor::Texts() const {
  std::vector<std::string> texts;
  for (const JsonCursor& item : Items()) {
    texts.push_back(item.Text());
  }
  return texts;
}

}  // namespace ns
