// Reads the members of JSON that a program wrote, with errors that say where.
#ifndef NS_REPORT_JSON_CURSOR_H_
#define NS_REPORT_JSON_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace ns {

// A value of a JSON text, and its place in it: "layers[3].activation.shape".
// The cursors of one text share a status, which keeps the first error. A value
// that At does not find, or that is of another type than the reader asks for,
// is such an error, and reads as an empty one: "", 0, false, no elements. So a
// reader needs to look at the status only once, at the end:
//
//   absl::Status status;
//   const JsonCursor root(json, status);
//   result.batches = root.At("batches").Int();
//   NS_RETURN_IF_ERROR(status);
//
// The JSON value and the status must outlive the cursors.
class JsonCursor {
 public:
  JsonCursor(const nlohmann::json& root, absl::Status& status)
      : JsonCursor(&root, "", &status) {}

  // Returns member `key` of an object. Error: the value is no object, or has no
  // such member.
  JsonCursor At(absl::string_view key) const;

  // Returns member `key`, or nothing where it is absent. Error: no object.
  std::optional<JsonCursor> Find(absl::string_view key) const;

  // Returns the elements of an array. Error: the value is none.
  std::vector<JsonCursor> Items() const;

  // Returns the names of the members of an object, sorted. Error: no object.
  std::vector<std::string> Keys() const;

  // Return the value. Error: it is of another type. Number also takes the
  // strings "inf", "-inf" and "nan", which JSON has no numbers for. Int takes
  // numbers of 64 bits that are written without a point and an exponent.
  std::string Text() const;
  bool Bool() const;
  double Number() const;
  int64_t Int() const;

  // Whether Number() would return one that is written with a point or an
  // exponent, or is one of the strings.
  bool IsFloat() const;

  // Return the elements of an array. Error: the value is no array, or an
  // element is of another type.
  std::vector<double> Numbers() const;
  std::vector<int64_t> Ints() const;
  std::vector<std::string> Texts() const;

  // Reports this value as an error: it must be `what`, such as "a list".
  void Refuse(absl::string_view what) const;

 private:
  // `value` is null behind an error.
  JsonCursor(const nlohmann::json* value, std::string place,
             absl::Status* status)
      : value_(value), place_(std::move(place)), status_(status) {}

  // Whether the value is an object; an error otherwise.
  bool IsObject() const;

  const nlohmann::json* value_;
  std::string place_;
  absl::Status* status_;
};

// Reads each element of an array by `read`.
template <typename Value>
std::vector<Value> ListOf(const JsonCursor& list,
                          Value (*read)(const JsonCursor&)) {
  std::vector<Value> values;
  for (const JsonCursor& item : list.Items()) {
    values.push_back(read(item));
  }
  return values;
}

// Reads the array called `key`; returns none where it is absent.
template <typename Value>
std::vector<Value> OptionalList(const JsonCursor& json, absl::string_view key,
                                Value (*read)(const JsonCursor&)) {
  const std::optional<JsonCursor> list = json.Find(key);
  return list ? ListOf(*list, read) : std::vector<Value>();
}

// Reads the member called `key`, if it is there.
template <typename Value>
std::optional<Value> Optional(const JsonCursor& json, absl::string_view key,
                              Value (*read)(const JsonCursor&)) {
  const std::optional<JsonCursor> value = json.Find(key);
  return value ? std::optional(read(*value)) : std::nullopt;
}

}  // namespace ns

#endif  // NS_REPORT_JSON_CURSOR_H_
