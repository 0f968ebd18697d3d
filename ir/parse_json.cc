#include "ir/parse_json.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "ir/nearest_name.h"

namespace ns {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostShown = 60;
constexpr size_t kMostOfAnError = 200;

std::string Dump(const Json& value) {
  return value.dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace);
}

// `text` in quotes, as messages name it.
std::string Shown(absl::string_view text) {
  return absl::StrCat("'", OneLine(text, kMostShown), "'");
}

std::string Place(absl::string_view text, size_t position) {
  const absl::string_view before = text.substr(0, position);
  const size_t newline = before.rfind('\n');
  const size_t column = newline == absl::string_view::npos
                            ? before.size()
                            : before.size() - newline - 1;
  return absl::StrCat("line ",
                      1 + std::count(before.begin(), before.end(), '\n'),
                      ", column ", column);
}

// What nlohmann::json says without its name for the error and its place:
// "[json.exception.parse_error.101] parse error at line 1, column 2: WHAT".
absl::string_view WhatOf(absl::string_view message) {
  message.remove_prefix(std::min(message.find("] ") + 2, message.size()));
  if (absl::StartsWith(message, "parse error")) {
    message.remove_prefix(std::min(message.find(": ") + 2, message.size()));
  }
  return message;
}

// Makes a value of the events of a parser, which stops when a method returns
// false. The names of methods are those that nlohmann::json calls.
class Builder {
 public:
  explicit Builder(absl::string_view text) : text_(text) {}

  absl::StatusOr<Json> Finish() && {
    if (!status_.ok()) {
      return status_;
    }
    return std::move(root_);
  }

  bool null() { return Add(nullptr); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(int64_t value) { return Add(value); }
  bool number_unsigned(uint64_t value) { return Add(value); }
  bool number_float(double value, const std::string& /*text*/) {
    return Add(value);
  }
  bool string(std::string& value) { return Add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // Not in a text.

  bool start_object(size_t /*size*/) { return Open(Json::object()); }
  bool end_object() { return Close(); }
  bool start_array(size_t /*size*/) { return Open(Json::array()); }
  bool end_array() { return Close(); }

  bool key(std::string& name) {
    if (open_.back()->contains(name)) {
      return Fail(absl::StrCat("an object has ", Shown(name), " twice"));
    }
    member_ = &(*open_.back())[name];
    return true;
  }

  template <typename Error>
  bool parse_error(size_t position, const std::string& /*token*/,
                   const Error& error) {
    return Fail(absl::StrCat(Place(text_, position), ": ",
                             OneLine(WhatOf(error.what()), kMostOfAnError)));
  }

 private:
  // Puts a value where the parser is. What is open does not grow, and so does
  // not move, before what is in it is closed.
  Json* Put(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_object()) {
      *member_ = std::move(value);
      return member_;
    }
    open_.back()->push_back(std::move(value));
    return &open_.back()->back();
  }

  bool Add(Json value) {
    Put(std::move(value));
    return true;
  }

  bool Open(Json value) {
    if (open_.size() >= kMaxJsonDepth) {
      return Fail(absl::StrCat("arrays and objects are nested deeper than ",
                               kMaxJsonDepth));
    }
    open_.push_back(Put(std::move(value)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  bool Fail(const std::string& what) {
    status_ = absl::InvalidArgumentError(what);
    return false;
  }

  const absl::string_view text_;
  absl::Status status_;
  Json root_;
  // Arrays and objects that are not closed yet, from the outside.
  std::vector<Json*> open_;
  // The value of the last key.
  Json* member_ = nullptr;
};

}  // namespace

absl::StatusOr<nlohmann::json> ParseJson(absl::string_view text) {
  Builder builder(text);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).Finish();
}

std::string JsonString(absl::string_view text) {
  return Dump(std::string(text));
}

std::string OneLine(absl::string_view text, size_t most) {
  const std::string quoted = JsonString(text.substr(0, most));
  return absl::StrCat(absl::StrReplaceAll(quoted.substr(1, quoted.size() - 2),
                                          {{"\\\"", "\""}, {"\\\\", "\\"}}),
                      text.size() > most ? "..." : "");
}

absl::Status MustBe(const nlohmann::json& value, absl::string_view what) {
  const auto* text = value.get_ptr<const std::string*>();
  return absl::InvalidArgumentError(absl::StrCat(
      Shown(text == nullptr ? Dump(value) : *text), " must be ", what));
}

absl::Status NoField(absl::string_view name,
                     absl::Span<const absl::string_view> known) {
  const std::string all = absl::StrCat("it takes ", absl::StrJoin(known, ", "));
  return absl::InvalidArgumentError(absl::StrCat(
      "has no field ", Shown(name), "; ", DidYouMean(name, known, all)));
}

}  // namespace ns
