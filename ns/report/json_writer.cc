#include "ns/report/json_writer.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ns/report/utf8_sequence.h"

namespace ns {
namespace {

constexpr size_t kNumbersPerLine = 10;

std::string JsonDouble(double value) {
  const std::string text = FormatDouble(value);
  return std::isfinite(value) ? text : absl::StrCat("\"", text, "\"");
}

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

void JsonWriter::Key(absl::string_view key) {
  assert(!after_key_ && !scopes_.empty() && scopes_.back().close == '}');
  Separate();
  absl::StrAppend(&text_, QuoteJson(key), ": ");
  after_key_ = true;
}

void JsonWriter::String(absl::string_view value) { Raw(QuoteJson(value)); }
void JsonWriter::Int(int64_t value) { Raw(absl::StrCat(value)); }
void JsonWriter::Double(double value) { Raw(JsonDouble(value)); }
void JsonWriter::Bool(bool value) { Raw(value ? "true" : "false"); }

void JsonWriter::Numbers(absl::Span<const int64_t> values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const int64_t value : values) {
    texts.push_back(absl::StrCat(value));
  }
  RawNumbers(texts);
}

void JsonWriter::Numbers(absl::Span<const double> values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) {
    texts.push_back(JsonDouble(value));
  }
  RawNumbers(texts);
}

void JsonWriter::Strings(absl::Span<const std::string> values) {
  BeginArray();
  for (const std::string& value : values) {
    String(value);
  }
  EndArray();
}

void JsonWriter::RawNumbers(absl::Span<const std::string> values) {
  Raw("[");
  const bool one_line = values.size() <= kNumbersPerLine;
  const std::string margin(2 * scopes_.size(), ' ');
  for (size_t i = 0; i < values.size(); ++i) {
    if (!one_line && i % kNumbersPerLine == 0) {
      absl::StrAppend(&text_, i == 0 ? "\n" : ",\n", margin, "  ");
    } else if (i > 0) {
      text_ += ", ";
    }
    text_ += values[i];
  }
  absl::StrAppend(&text_, one_line ? "" : "\n", one_line ? "" : margin, "]");
}

std::string JsonWriter::Finish() && {
  assert(scopes_.empty() && !after_key_);
  text_ += '\n';
  return std::move(text_);
}

void JsonWriter::Begin(char open, char close) {
  Raw(absl::string_view(&open, 1));
  scopes_.push_back({close, /*empty=*/true});
}

void JsonWriter::End() {
  assert(!after_key_ && !scopes_.empty());
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  if (!scope.empty) {
    absl::StrAppend(&text_, "\n", std::string(2 * scopes_.size(), ' '));
  }
  text_ += scope.close;
}

void JsonWriter::Separate() {
  if (scopes_.empty()) {
    return;
  }
  absl::StrAppend(&text_, scopes_.back().empty ? "\n" : ",\n",
                  std::string(2 * scopes_.size(), ' '));
  scopes_.back().empty = false;
}

void JsonWriter::Raw(absl::string_view text) {
  if (!after_key_) {
    Separate();
  }
  after_key_ = false;
  absl::StrAppend(&text_, text);
}

}  // namespace ns
