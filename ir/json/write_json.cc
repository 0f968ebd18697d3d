#include "ir/json/write_json.h"

#include <cmath>

#include "ir/json/json_text.h"

namespace ns {
namespace {

constexpr size_t kNumbersPerLine = 10;

}  // namespace

std::string JsonOut::NumberText(double value) {
  const std::string text = FormatDouble(value);
  return std::isfinite(value) ? text : absl::StrCat("\"", text, "\"");
}

void JsonOut::WriteText(absl::string_view text) {
  json_.rawValue(QuoteJson(text));
}

void JsonOut::WriteNumbers(const std::vector<std::string>& numbers) {
  const bool is_one_line = numbers.size() <= kNumbersPerLine;
  const std::string margin(kIndent * depth_, ' ');
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!is_one_line && i % kNumbersPerLine == 0) {
      absl::StrAppend(&text, i == 0 ? "\n" : ",\n", margin, "  ");
    } else if (i > 0) {
      text += ", ";
    }
    text += numbers[i];
  }
  json_.rawValue(absl::StrCat(text, is_one_line ? "" : "\n",
                              is_one_line ? "" : margin, "]"));
}

}  // namespace ns
