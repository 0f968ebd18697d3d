// Writes structs that have a Map (json_map.h) as JSON.
#ifndef IR_JSON_WRITE_JSON_H_
#define IR_JSON_WRITE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/json/json_map.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace ns {

// The Io that writes. The form: two spaces of indentation; lists of numbers on
// one line up to ten, else ten on each line.
class JsonOut {
 public:
  static constexpr bool kReads = false;

  explicit JsonOut(llvm::raw_ostream& stream) : json_(stream, kIndent) {}

  template <typename T>
  void operator()(absl::string_view key, const T& value) {
    json_.attributeBegin(llvm::StringRef(key.data(), key.size()));
    Write(value);
    json_.attributeEnd();
  }

  template <typename T>
  void Optional(absl::string_view key, const T& value) {
    if (!IsLeftOut(value)) {
      (*this)(key, value);
    }
  }

  template <typename T>
  void When(bool is_there, absl::string_view key, const T& value) {
    if (is_there) {
      (*this)(key, value);
    }
  }

  void OrElse(absl::string_view key, double value, double /*other*/) {
    (*this)(key, value);
  }

  template <typename T>
  void Pair(absl::string_view key, const T& a, const T& b) {
    (*this)(key, std::pair(a, b));
  }

  template <typename T, typename NameOf, typename Find>
  void Named(absl::string_view key, const T& value, const NameOf& name_of,
             const Find& /*named*/, absl::string_view /*what*/) {
    (*this)(key, std::string(name_of(value)));
  }

  template <typename MapMembers>
  void Object(absl::string_view key, const MapMembers& map) {
    json_.attributeBegin(llvm::StringRef(key.data(), key.size()));
    WriteObject([&] { map(*this); });
    json_.attributeEnd();
  }

  template <typename Figures, typename Known>
  void Numbers(const Figures& figures, const Known& /*known*/) {
    for (const auto& [name, number] : figures) {
      (*this)(name, number);
    }
  }

  template <typename Compute>
  void Derived(absl::string_view key, const Compute& compute) {
    const auto value = compute();
    if constexpr (IsOptional<std::decay_t<decltype(value)>>::value) {
      Optional(key, value);
    } else {
      (*this)(key, value);
    }
  }

  void Schema(const char* name, absl::string_view /*writer*/) {
    (*this)("schema", std::string(name));
  }

  void Check(bool /*holds*/, absl::string_view /*what*/) {}

  template <typename T>
  void Write(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      json_.value(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      WriteText(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      json_.rawValue(NumberText(value));
    } else if constexpr (IsOptional<T>::value) {
      Write(*value);
    } else if constexpr (IsPair<T>::value) {
      WriteNumbers({NumberText(value.first), NumberText(value.second)});
    } else if constexpr (IsVector<T>::value) {
      WriteList(value);
    } else {
      // Map takes what it may read into; writing leaves it as it is.
      WriteObject([&] { Map(*this, const_cast<T&>(value)); });
    }
  }

 private:
  static constexpr unsigned kIndent = 2;

  static std::string NumberText(double value);
  template <typename T>
  static std::string NumberText(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return NumberText(static_cast<double>(value));
    } else {
      return absl::StrCat(value);
    }
  }

  template <typename T>
  void WriteList(const std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      std::vector<std::string> texts;
      texts.reserve(values.size());
      for (const T value : values) {
        texts.push_back(NumberText(value));
      }
      WriteNumbers(texts);
    } else {
      json_.arrayBegin();
      ++depth_;
      for (const T& value : values) {
        Write(value);
      }
      --depth_;
      json_.arrayEnd();
    }
  }

  template <typename WriteMembers>
  void WriteObject(const WriteMembers& write) {
    json_.objectBegin();
    ++depth_;
    write();
    --depth_;
    json_.objectEnd();
  }

  void WriteText(absl::string_view text);
  void WriteNumbers(const std::vector<std::string>& numbers);

  llvm::json::OStream json_;
  // How many objects and lists are open.
  size_t depth_ = 0;
};

// Returns `value` as JSON, with a newline at its end.
template <typename T>
std::string WriteJson(const T& value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonOut(stream).Write(value);
  stream << '\n';
  stream.flush();
  return text;
}

}  // namespace ns

#endif  // IR_JSON_WRITE_JSON_H_
