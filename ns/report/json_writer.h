// Writes JSON as a stream: two spaces of indentation, keys in the order given.
#ifndef NS_REPORT_JSON_WRITER_H_
#define NS_REPORT_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// Returns the shortest decimal text that reads back as `value`, always with a
// point or an exponent ("30.0"), so that readers see a float. Infinities and
// NaN are "inf", "-inf" and "nan".
std::string FormatDouble(double value);

// Returns `text` in quotes, as a JSON string. Non-ASCII characters stay as they
// are; each byte that is not part of valid UTF-8 becomes U+FFFD.
std::string QuoteJson(absl::string_view text);

// Writes one JSON value. The caller keeps calls balanced, and calls Key before
// each member of an object.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Key("shape");
//   json.Numbers(shape);
//   json.EndObject();
//   std::string text = std::move(json).Finish();
class JsonWriter {
 public:
  void BeginObject() { Begin('{', '}'); }
  void EndObject() { End(); }
  void BeginArray() { Begin('[', ']'); }
  void EndArray() { End(); }
  void Key(absl::string_view key);

  void String(absl::string_view value);
  void Int(int64_t value);
  // Writes a number. JSON has no infinities and no nan: these become the
  // strings "inf", "-inf" and "nan".
  void Double(double value);
  void Bool(bool value);

  // Writes an array of numbers: on one line up to ten, else ten on each line.
  void Numbers(absl::Span<const int64_t> values);
  void Numbers(absl::Span<const double> values);

  // Writes an array of strings, each on a line of its own.
  void Strings(absl::Span<const std::string> values);

  // Writes a member of an object: a key and its value.
  void Member(absl::string_view key, absl::string_view value) {
    Key(key);
    String(value);
  }
  void Member(absl::string_view key, double value) {
    Key(key);
    Double(value);
  }
  void Member(absl::string_view key, int64_t value) {
    Key(key);
    Int(value);
  }
  template <typename Number>
  void Member(absl::string_view key, const std::vector<Number>& values) {
    Key(key);
    Numbers(values);
  }

  void Member(absl::string_view key, const std::vector<std::string>& values) {
    Key(key);
    Strings(values);
  }

  // Writes a member that is an array: calls write(*this, item), which writes
  // one value, for each of `items`.
  template <typename Items, typename Write>
  void List(absl::string_view key, const Items& items, const Write& write) {
    Key(key);
    BeginArray();
    for (const auto& item : items) {
      write(*this, item);
    }
    EndArray();
  }

  // Returns the text, with a newline at its end.
  std::string Finish() &&;

 private:
  struct Scope {
    char close;
    bool empty;
  };

  void Begin(char open, char close);
  void End();
  // Writes the comma, newline and indentation that the next value or key needs.
  void Separate();
  void Raw(absl::string_view text);
  void RawNumbers(absl::Span<const std::string> values);

  std::string text_;
  std::vector<Scope> scopes_;
  bool after_key_ = false;
};

}  // namespace ns

#endif  // NS_REPORT_JSON_WRITER_H_
