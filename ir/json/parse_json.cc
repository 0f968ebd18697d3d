#include "ir/json/parse_json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ir/json/json_text.h"
#include "llvm/Support/Error.h"

namespace ns {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

constexpr size_t kMostShown = 60;
constexpr size_t kMostOfAnError = 200;

// `text` in quotes, as messages name it.
std::string Shown(absl::string_view text) {
  return absl::StrCat("'", OneLine(text, kMostShown), "'");
}

// An array or object that is not closed yet. The names are as they are spelled
// in the text.
struct OpenScope {
  bool is_object = false;
  bool awaits_name = true;
  absl::flat_hash_set<absl::string_view> names = {};
};

// Returns the place after the number that begins at `start`.
size_t EndOfNumber(absl::string_view text, size_t start) {
  const size_t end = text.find_first_not_of("+-.0123456789eE", start);
  return end == absl::string_view::npos ? text.size() : end;
}

// Error: a whole number that LLVM's parser would replace by the nearest one of
// 64 bits.
absl::Status CheckNumber(absl::string_view number) {
  int64_t value = 0;
  const absl::string_view digits = absl::StripPrefix(number, "-");
  const bool is_whole =
      !digits.empty() &&
      digits.find_first_not_of("0123456789") == absl::string_view::npos;
  return is_whole && !absl::SimpleAtoi(number, &value)
             ? absl::InvalidArgumentError(
                   absl::StrCat(Shown(number), " does not fit 64 bits"))
             : absl::OkStatus();
}

// Refuses what LLVM's parser does not survive, or accepts silently: deep
// nesting, members that come twice, and large whole numbers. Other faults are
// left to it.
absl::Status CheckScopes(absl::string_view text) {
  std::vector<OpenScope> open;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') {
      if (open.size() >= kMaxJsonDepth) {
        return absl::InvalidArgumentError(absl::StrCat(
            "arrays and objects are nested deeper than ", kMaxJsonDepth));
      }
      open.push_back({c == '{'});
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    } else if (c == ',' && !open.empty()) {
      open.back().awaits_name = true;
    } else if (c == '"') {
      const size_t end = EndOfJsonString(text, i + 1);
      const absl::string_view content = text.substr(i + 1, end - i - 1);
      if (!open.empty() && open.back().is_object && open.back().awaits_name) {
        open.back().awaits_name = false;
        if (!open.back().names.insert(content).second) {
          return absl::InvalidArgumentError(
              absl::StrCat("an object has ", Shown(content), " twice"));
        }
      }
      i = end;
    } else if (c == '-' || absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      const size_t end = EndOfNumber(text, i);
      NS_RETURN_IF_ERROR(CheckNumber(text.substr(i, end - i)));
      i = end - 1;
    }
  }
  return absl::OkStatus();
}

// Whether a number in `value` was too large for a double: the parser makes it
// infinite.
bool HasInfinity(const Value& value) {
  if (const Object* object = value.getAsObject()) {
    return absl::c_any_of(
        *object, [](const auto& member) { return HasInfinity(member.second); });
  }
  if (const Array* array = value.getAsArray()) {
    return absl::c_any_of(*array, HasInfinity);
  }
  const auto number = value.getAsNumber();
  return number && std::isinf(*number);
}

// Rewords "[3:2, byte=15]: Expected object key", what the parser says of a text
// of `size` bytes.
std::string Reworded(const std::string& message, size_t size) {
  unsigned line = 0;
  unsigned column = 0;
  unsigned byte = 0;
  int start = 0;
  const int read = std::sscanf(message.c_str(), "[%u:%u, byte=%u]: %n", &line,
                               &column, &byte, &start);
  std::string what =
      OneLine(absl::string_view(message).substr(start), kMostOfAnError);
  if (read < 3 || what.empty()) {
    return what;
  }
  what[0] = absl::ascii_tolower(static_cast<unsigned char>(what[0]));
  return absl::StrCat("line ", line, ", column ", std::max(column, 1U), ": ",
                      byte >= size ? "the text ends here: " : "", what);
}

}  // namespace

absl::StatusOr<Value> ParseJson(absl::string_view text) {
  text = absl::StripPrefix(text, "\xEF\xBB\xBF");
  NS_RETURN_IF_ERROR(CheckScopes(text));
  llvm::Expected<Value> value =
      llvm::json::parse(llvm::StringRef(text.data(), text.size()));
  if (!value) {
    return absl::InvalidArgumentError(
        Reworded(llvm::toString(value.takeError()), text.size()));
  }
  if (HasInfinity(*value)) {
    return absl::InvalidArgumentError("a number is too large for a double");
  }
  return std::move(*value);
}

absl::Status MustBe(const Value& value, absl::string_view what) {
  const auto text = value.getAsString();
  return absl::InvalidArgumentError(absl::StrCat(
      Shown(text ? text->str() : JsonText(value)), " must be ", what));
}

absl::Status NoField(absl::string_view name,
                     absl::Span<const absl::string_view> known) {
  const std::string all = absl::StrCat("it takes ", absl::StrJoin(known, ", "));
  return absl::InvalidArgumentError(absl::StrCat(
      "has no field ", Shown(name), "; ", DidYouMean(name, known, all)));
}

}  // namespace ns
