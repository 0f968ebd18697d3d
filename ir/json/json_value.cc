#include "ir/json/json_value.h"

#include <limits>

#include "absl/algorithm/container.h"

namespace ns {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

std::vector<JsonMember> SortedMembers(const Object& object) {
  std::vector<JsonMember> members;
  members.reserve(object.size());
  for (const auto& member : object) {
    const llvm::StringRef name = member.first;
    members.emplace_back(absl::string_view(name.data(), name.size()),
                         &member.second);
  }
  absl::c_sort(members);
  return members;
}

const Value* FindMember(const Value& value, absl::string_view name) {
  const Object* object = value.getAsObject();
  return object == nullptr
             ? nullptr
             : object->get(llvm::StringRef(name.data(), name.size()));
}

std::optional<std::string> TextOf(const Value& value) {
  const auto text = value.getAsString();
  return text ? std::optional(text->str()) : std::nullopt;
}

std::optional<double> NumberOf(const Value& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (const auto number = value.getAsNumber()) {
    return *number;
  }
  const auto text = value.getAsString();
  if (!text) {
    return std::nullopt;
  }
  return *text == "inf"    ? std::optional(kInfinity)
         : *text == "-inf" ? std::optional(-kInfinity)
         : *text == "nan"
             ? std::optional(std::numeric_limits<double>::quiet_NaN())
             : std::nullopt;
}

std::string TextMember(const Value& value, absl::string_view name) {
  const Value* member = FindMember(value, name);
  return member == nullptr ? "" : TextOf(*member).value_or("");
}

std::optional<double> NumberMember(const Value& value, absl::string_view name) {
  const Value* member = FindMember(value, name);
  return member == nullptr ? std::nullopt : NumberOf(*member);
}

const Array& ArrayMember(const Value& value, absl::string_view name) {
  static const Array& empty = *new Array();
  const Value* member = FindMember(value, name);
  const Array* array = member == nullptr ? nullptr : member->getAsArray();
  return array == nullptr ? empty : *array;
}

}  // namespace ns
