#include "passes/pipeline/pass_options.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"

namespace ns {
namespace {

absl::StatusOr<PassOptions::Values> ParseOptions(absl::string_view text,
                                                 absl::string_view pass) {
  PassOptions::Values options;
  for (absl::string_view option : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(option, absl::MaxSplits('=', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(parts.first);
    if (name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("pass '", pass, "' has an option without a name in '{",
                       text, "}'; write {name=value,...}"));
    }
    if (absl::c_any_of(
            options, [&](const auto& known) { return known.first == name; })) {
      return absl::InvalidArgumentError(absl::StrCat(
          "pass '", pass, "' has option '", name, "' twice; give it once"));
    }
    options.emplace_back(name, absl::StripAsciiWhitespace(parts.second));
  }
  return options;
}

// The words that `option` takes; empty where it takes any text.
std::vector<std::string> WordsOf(const PassOption& option) {
  return absl::StrContains(option.values, '|')
             ? absl::StrSplit(option.values, '|')
             : std::vector<std::string>();
}

const PassOption* Find(absl::Span<const PassOption> known,
                       absl::string_view name) {
  const auto* found = absl::c_find_if(
      known, [&](const PassOption& option) { return option.name == name; });
  return found == known.end() ? nullptr : found;
}

absl::Status UnknownOption(absl::string_view name,
                           absl::Span<const PassOption> known) {
  std::vector<absl::string_view> names;
  for (const PassOption& option : known) {
    names.push_back(option.name);
  }
  const std::string all =
      names.empty() ? "it takes none"
                    : absl::StrCat("it takes ", absl::StrJoin(names, ", "));
  return absl::InvalidArgumentError(absl::StrCat("has no option '", name, "'; ",
                                                 DidYouMean(name, names, all)));
}

}  // namespace

absl::StatusOr<PassOptions> PassOptions::Create(
    Values values, absl::Span<const PassOption> known) {
  for (auto& [name, value] : values) {
    const PassOption* option = Find(known, name);
    if (option == nullptr) {
      return UnknownOption(name, known);
    }
    const std::vector<std::string> words = WordsOf(*option);
    if (value.empty() && absl::c_linear_search(words, "true")) {
      value = "true";
    }
    if (!words.empty() && !absl::c_linear_search(words, value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("option '", name, "' is '", value, "'; use ",
                       absl::StrJoin(words, " or ")));
    }
  }
  return PassOptions(std::move(values), known);
}

std::string PassOptions::Text(absl::string_view name) const {
  const auto given = absl::c_find_if(
      values_, [&](const auto& value) { return value.first == name; });
  if (given != values_.end()) {
    return given->second;
  }
  const PassOption* option = Find(known_, name);
  assert(option != nullptr);
  return std::string(option->otherwise);
}

std::string OptionText(const PassOption& option) {
  std::vector<std::string> words = WordsOf(option);
  const auto otherwise = absl::c_find(words, option.otherwise);
  if (otherwise != words.end()) {
    std::rotate(words.begin(), otherwise, otherwise + 1);
  }
  if (words.empty()) {
    words.emplace_back(option.otherwise.empty() ? option.values
                                                : option.otherwise);
  }
  return absl::StrCat(option.name, "=", absl::StrJoin(words, "|"));
}

absl::StatusOr<std::vector<PassSpec>> ParsePassSpecs(absl::string_view text) {
  std::vector<PassSpec> specs;
  absl::string_view rest = text;
  for (;;) {
    const size_t end = rest.find_first_of("{,}");
    PassSpec spec;
    spec.name = std::string(absl::StripAsciiWhitespace(rest.substr(0, end)));
    if (spec.name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text,
                       "' has a pass without a name; write "
                       "name,name{option=value}"));
    }
    rest.remove_prefix(std::min(end, rest.size()));
    if (!rest.empty() && rest[0] == '{') {
      const size_t close = rest.find('}');
      if (close == absl::string_view::npos) {
        return absl::InvalidArgumentError(absl::StrCat(
            "pass '", spec.name, "' has '{' without '}' in '", text, "'"));
      }
      NS_ASSIGN_OR_RETURN(spec.options,
                          ParseOptions(rest.substr(1, close - 1), spec.name));
      rest = absl::StripLeadingAsciiWhitespace(rest.substr(close + 1));
    }
    specs.push_back(std::move(spec));
    if (rest.empty()) {
      return specs;
    }
    if (rest[0] != ',') {
      return absl::InvalidArgumentError(absl::StrCat(
          "expected ',' behind pass '", specs.back().name, "' and found '",
          rest.substr(0, 1), "' in '", text, "'"));
    }
    rest.remove_prefix(1);
  }
}

}  // namespace ns
