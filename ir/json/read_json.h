// Reads structs that have a Map (json_map.h) from JSON.
#ifndef IR_JSON_READ_JSON_H_
#define IR_JSON_READ_JSON_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/json/json_map.h"
#include "ir/json/json_value.h"
#include "llvm/Support/JSON.h"

namespace ns {

// The place of a value in a JSON text: "layers[3].shadow.shape". The places
// around it, and its key, must outlive it.
class JsonPlace {
 public:
  // The whole text.
  JsonPlace() = default;
  JsonPlace(const JsonPlace& parent, absl::string_view key)
      : parent_(&parent), key_(key) {}
  JsonPlace(const JsonPlace& parent, size_t index)
      : parent_(&parent), index_(index) {}

  // Returns the place; "" for the whole text.
  std::string Text() const;

 private:
  const JsonPlace* parent_ = nullptr;
  absl::string_view key_;
  std::optional<size_t> index_;
};

// The Io that reads. The first error is kept, and what comes after it is left
// as it is.
class JsonIn {
 public:
  static constexpr bool kReads = true;

  // Reads members of `value`, which is at `place`. Error: it is not an object.
  JsonIn(const llvm::json::Value& value, const JsonPlace& place,
         absl::Status& status);

  template <typename T>
  void operator()(absl::string_view key, T& value) {
    if (!Find(key, value)) {
      Miss(key);
    }
  }

  template <typename T>
  void Optional(absl::string_view key, T& value) {
    Find(key, value);
  }

  template <typename T>
  void When(bool& is_there, absl::string_view key, T& value) {
    is_there = Find(key, value);
  }
  template <typename T>
  void When(const bool& /*is_there*/, absl::string_view key, T& value) {
    Find(key, value);
  }

  void OrElse(absl::string_view key, double& value, double other) {
    if (!Find(key, value)) {
      value = other;
    }
  }

  template <typename T>
  void Pair(absl::string_view key, T& a, T& b) {
    std::pair<T, T> both;
    (*this)(key, both);
    std::tie(a, b) = both;
  }

  template <typename T, typename NameOf, typename Find>
  void Named(absl::string_view key, T& value, const NameOf& /*name_of*/,
             const Find& named, absl::string_view what) {
    std::string name;
    (*this)(key, name);
    if (const auto found = named(name)) {
      value = *found;
    } else {
      RefuseMember(key, what);
    }
  }

  template <typename MapMembers>
  void Object(absl::string_view key, const MapMembers& map) {
    Members<MapMembers> members{map};
    (*this)(key, members);
  }

  template <typename Figures, typename Known>
  void Numbers(Figures& figures, const Known& known) {
    for (auto& [name, number] : OtherNumbers(known())) {
      figures.push_back({std::move(name), number});
    }
  }

  template <typename Compute>
  void Derived(absl::string_view /*key*/, const Compute& /*compute*/) {}

  void Schema(absl::string_view name, absl::string_view writer);

  void Check(bool holds, absl::string_view what);

  // Reads `json`, which is at `place`, into `value`.
  template <typename T>
  static void Read(const llvm::json::Value& json, const JsonPlace& place,
                   T& value, absl::Status& status) {
    if constexpr (std::is_same_v<T, bool>) {
      ReadBool(json, place, value, status);
    } else if constexpr (std::is_same_v<T, std::string>) {
      ReadText(json, place, value, status);
    } else if constexpr (std::is_floating_point_v<T>) {
      ReadNumber(json, place, value, status);
    } else if constexpr (std::is_integral_v<T>) {
      int64_t integer = 0;
      ReadInteger(json, place, std::numeric_limits<T>::min(),
                  static_cast<int64_t>(
                      std::min<uint64_t>(std::numeric_limits<T>::max(),
                                         std::numeric_limits<int64_t>::max())),
                  integer, status);
      value = static_cast<T>(integer);
    } else if constexpr (IsOptional<T>::value) {
      Read(json, place, value.emplace(), status);
    } else if constexpr (IsPair<T>::value) {
      ReadPair(json, place, value, status);
    } else if constexpr (IsVector<T>::value) {
      ReadList(json, place, value, status);
    } else {
      JsonIn io(json, place, status);
      Map(io, value);
    }
  }

 private:
  // The members of an object that has no struct.
  template <typename MapMembers>
  struct Members {
    const MapMembers& map;
    friend void Map(JsonIn& io, Members& members) { members.map(io); }
  };

  template <typename T>
  static void ReadPair(const llvm::json::Value& json, const JsonPlace& place,
                       T& pair, absl::Status& status) {
    const auto* array = json.getAsArray();
    if (array == nullptr || array->size() != 2) {
      Refuse(json, place, "a list of two numbers", status);
      return;
    }
    Read((*array)[0], JsonPlace(place, 0), pair.first, status);
    Read((*array)[1], JsonPlace(place, 1), pair.second, status);
  }

  template <typename T>
  static void ReadList(const llvm::json::Value& json, const JsonPlace& place,
                       std::vector<T>& values, absl::Status& status) {
    const auto* array = json.getAsArray();
    if (array == nullptr) {
      Refuse(json, place, "a list", status);
      return;
    }
    values.resize(array->size());
    for (size_t i = 0; i < values.size() && status.ok(); ++i) {
      Read((*array)[i], JsonPlace(place, i), values[i], status);
    }
  }

  static void ReadBool(const llvm::json::Value& json, const JsonPlace& place,
                       bool& value, absl::Status& status);
  static void ReadText(const llvm::json::Value& json, const JsonPlace& place,
                       std::string& value, absl::Status& status);
  static void ReadNumber(const llvm::json::Value& json, const JsonPlace& place,
                         double& value, absl::Status& status);
  static void ReadInteger(const llvm::json::Value& json, const JsonPlace& place,
                          int64_t lowest, int64_t highest, int64_t& value,
                          absl::Status& status);

  // Records that `json` must be `what`, unless there was an error before.
  static void Refuse(const llvm::json::Value& json, const JsonPlace& place,
                     absl::string_view what, absl::Status& status);

  // Reads member `key`, and returns whether it is there.
  template <typename T>
  bool Find(absl::string_view key, T& value) {
    const llvm::json::Value* const member = Member(key);
    if (member == nullptr) {
      return false;
    }
    Read(*member, JsonPlace(place_, key), value, status_);
    return true;
  }

  // Returns member `key`, null where there is none or after an error, and notes
  // that it was asked for.
  const llvm::json::Value* Member(absl::string_view key);

  void Miss(absl::string_view key);
  void RefuseMember(absl::string_view key, absl::string_view what);

  // The numbers with a point or an exponent, and infinities and NaN, among the
  // members that were not asked for, but for `known`.
  std::vector<std::pair<std::string, double>> OtherNumbers(
      const std::vector<std::string>& known) const;

  const llvm::json::Value& value_;
  const JsonPlace& place_;
  absl::Status& status_;
  // Keys live as long as the calls of Map.
  std::vector<absl::string_view> asked_;
};

// Reads `json` into `value`. Error, of one line that begins with the place of
// the value: a member that is missing, or of another type than Map asks for.
template <typename T>
absl::Status ReadJson(const llvm::json::Value& json, T& value) {
  absl::Status status;
  JsonIn::Read(json, JsonPlace(), value, status);
  return status;
}

}  // namespace ns

#endif  // IR_JSON_READ_JSON_H_
