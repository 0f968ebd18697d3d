// Lists the members that the JSON of a struct may have.
#ifndef IR_JSON_JSON_KEYS_H_
#define IR_JSON_JSON_KEYS_H_

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/json/json_map.h"

namespace ns {

// The Io that collects names.
class JsonKeys {
 public:
  static constexpr bool kReads = false;

  JsonKeys(std::string place, std::vector<std::string>& paths)
      : place_(std::move(place)), paths_(paths) {}

  template <typename T>
  void operator()(absl::string_view key, T& value) {
    std::string path = absl::StrCat(place_, place_.empty() ? "" : ".", key);
    paths_.push_back(path);
    Visit(std::move(path), value);
  }

  template <typename T>
  void Optional(absl::string_view key, T& value) {
    (*this)(key, value);
  }

  template <typename T>
  void When(bool /*is_there*/, absl::string_view key, T& value) {
    (*this)(key, value);
  }

  void OrElse(absl::string_view key, double& value, double /*other*/) {
    (*this)(key, value);
  }

  template <typename T>
  void Pair(absl::string_view key, T& a, T& /*b*/) {
    (*this)(key, a);
  }

  template <typename T, typename NameOf, typename Find>
  void Named(absl::string_view key, T& /*value*/, const NameOf& /*name_of*/,
             const Find& /*named*/, absl::string_view /*what*/) {
    std::string name;
    (*this)(key, name);
  }

  template <typename MapMembers>
  void Object(absl::string_view key, const MapMembers& map) {
    std::string path = absl::StrCat(place_, place_.empty() ? "" : ".", key);
    paths_.push_back(path);
    JsonKeys io(std::move(path), paths_);
    map(io);
  }

  template <typename Figures, typename Known>
  void Numbers(const Figures& /*figures*/, const Known& /*known*/) {}

  template <typename Compute>
  void Derived(absl::string_view key, const Compute& /*compute*/) {
    std::decay_t<decltype(std::declval<Compute>()())> value;
    (*this)(key, value);
  }

  void Schema(absl::string_view /*name*/, absl::string_view /*writer*/) {
    std::string name;
    (*this)("schema", name);
  }

  void Check(bool /*holds*/, absl::string_view /*what*/) {}

  // Adds the members of `value`, which is at `path`.
  template <typename T>
  void Visit(std::string path, T& value) {
    if constexpr (IsOptional<T>::value) {
      Visit(std::move(path), value.emplace());
    } else if constexpr (IsVector<T>::value) {
      typename T::value_type element{};
      Visit(absl::StrCat(path, "[]"), element);
    } else if constexpr (std::is_class_v<T> && !IsPair<T>::value &&
                         !std::is_same_v<T, std::string>) {
      JsonKeys io(std::move(path), paths_);
      Map(io, value);
    }
  }

 private:
  const std::string place_;
  std::vector<std::string>& paths_;
};

// Returns the paths of all members that the JSON of a T may have, in the order
// in which they are written: "layers", "layers[].name",
// "layers[].shadow.shape". Those that only data names (JsonOut::Numbers) are
// left out.
template <typename T>
std::vector<std::string> JsonPaths() {
  std::vector<std::string> paths;
  T value{};
  JsonKeys("", paths).Visit("", value);
  return paths;
}

}  // namespace ns

#endif  // IR_JSON_JSON_KEYS_H_
