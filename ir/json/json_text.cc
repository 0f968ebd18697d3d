#include "ir/json/json_text.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "ir/json/json_value.h"
#include "ir/json/utf8_sequence.h"

namespace ns {
namespace {

std::string EscapeAscii(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
    return absl::StrCat("\\u", absl::Hex(c, absl::kZeroPad4));
  }
  return std::string(1, c);
}

}  // namespace

std::string FormatDouble(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  char buffer[32];  // The longest text has 24 characters.
  char* const end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string QuoteJson(absl::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) {
      quoted += "\uFFFD";
    } else if (length == 1) {
      quoted += EscapeAscii(text[0]);
    } else {
      absl::StrAppend(&quoted, text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  quoted += '"';
  return quoted;
}

size_t EndOfJsonString(absl::string_view text, size_t start) {
  for (size_t i = start; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i;
    }
  }
  return text.size();
}

std::string JsonText(const llvm::json::Value& value) {
  if (const auto* object = value.getAsObject()) {
    return absl::StrCat(
        "{",
        absl::StrJoin(SortedMembers(*object), ",",
                      [](std::string* text, const JsonMember& member) {
                        absl::StrAppend(text, QuoteJson(member.first), ":",
                                        JsonText(*member.second));
                      }),
        "}");
  }
  if (const auto* array = value.getAsArray()) {
    return absl::StrCat(
        "[",
        absl::StrJoin(*array, ",",
                      [](std::string* text, const llvm::json::Value& element) {
                        absl::StrAppend(text, JsonText(element));
                      }),
        "]");
  }
  if (const auto text = value.getAsString()) {
    return QuoteJson(absl::string_view(text->data(), text->size()));
  }
  if (const auto boolean = value.getAsBoolean()) {
    return *boolean ? "true" : "false";
  }
  if (const auto integer = value.getAsInteger()) {
    return absl::StrCat(*integer);
  }
  const auto number = value.getAsNumber();
  return number ? FormatDouble(*number) : "null";
}

std::string OneLine(absl::string_view text, size_t most) {
  const std::string quoted = QuoteJson(text.substr(0, most));
  return absl::StrCat(absl::StrReplaceAll(quoted.substr(1, quoted.size() - 2),
                                          {{"\\\"", "\""}, {"\\\\", "\\"}}),
                      text.size() > most ? "..." : "");
}

}  // namespace ns
