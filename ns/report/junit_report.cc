#include "ns/report/junit_report.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "ir/json/utf8_sequence.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

std::string EscapeAscii(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':  // Alone it is allowed, but "]]>" in text is not.
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&apos;";
    default:
      return std::string(1, c);
  }
}

std::string Attribute(absl::string_view name, absl::string_view value) {
  return absl::StrCat(" ", name, "=\"", EscapeXml(value), "\"");
}

std::string TestCase(const LimitCheck& check) {
  const std::string limit(LimitName(check.kind));
  const std::string place = CheckedPlace(check);
  const std::string name = check.figure.empty() || check.figure == "activation"
                               ? place
                               : absl::StrCat(place, " ", check.figure);
  std::string text = absl::StrCat(
      "    <testcase", Attribute("classname", absl::StrCat("ns.", limit)),
      Attribute("name", place.empty() ? limit : name));
  if (check.passed) {
    return absl::StrCat(text, "/>\n");
  }
  return absl::StrCat(text, ">\n      <failure", Attribute("type", limit),
                      Attribute("message", CrossedText(check)),
                      "/>\n    </testcase>\n");
}

}  // namespace

std::string EscapeXml(absl::string_view text) {
  const std::string printable = Printable(text);
  absl::string_view rest = printable;
  std::string escaped;
  while (!rest.empty()) {
    const size_t length = Utf8SequenceLength(rest);
    const absl::string_view character = rest.substr(0, length);
    if (length == 0 || character == "\uFFFE" || character == "\uFFFF") {
      escaped += "\uFFFD";
    } else if (length == 1) {
      escaped += EscapeAscii(rest[0]);
    } else {
      absl::StrAppend(&escaped, character);
    }
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  return escaped;
}

std::string ToJunit(
    absl::string_view suite, const std::vector<LimitCheck>& checks,
    const std::vector<std::string>& warnings,
    const std::vector<std::pair<std::string, std::string>>& properties) {
  const std::string counts = absl::StrCat(
      Attribute("tests", absl::StrCat(checks.size())),
      Attribute("failures", absl::StrCat(CrossedLimits(checks).size())),
      Attribute("errors", "0"));
  std::string xml = absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", counts,
      ">\n  <testsuite", Attribute("name", suite), counts, ">\n");
  if (!properties.empty()) {
    absl::StrAppend(&xml, "    <properties>\n");
    for (const auto& [name, value] : properties) {
      absl::StrAppend(&xml, "      <property", Attribute("name", name),
                      Attribute("value", value), "/>\n");
    }
    absl::StrAppend(&xml, "    </properties>\n");
  }
  for (const LimitCheck& check : checks) {
    absl::StrAppend(&xml, TestCase(check));
  }
  if (!warnings.empty()) {
    absl::StrAppend(&xml, "    <system-err>");
    for (const std::string& warning : warnings) {
      absl::StrAppend(&xml, EscapeXml(warning), "\n");
    }
    absl::StrAppend(&xml, "</system-err>\n");
  }
  absl::StrAppend(&xml, "  </testsuite>\n</testsuites>\n");
  return xml;
}

}  // namespace ns
