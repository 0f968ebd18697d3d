#include "passes/pipeline/pass_options.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/nearest_name.h"
#include "ir/status.h"

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

}  // namespace

const std::string* PassOptions::Find(absl::string_view name) {
  known_.emplace_back(name);
  const auto it = absl::c_find_if(
      values_, [&](const auto& value) { return value.first == name; });
  return it == values_.end() ? nullptr : &it->second;
}

std::string PassOptions::Text(absl::string_view name,
                              absl::string_view otherwise) {
  const std::string* value = Find(name);
  return value == nullptr ? std::string(otherwise) : *value;
}

std::string PassOptions::Choice(
    absl::string_view name, std::initializer_list<absl::string_view> choices) {
  const std::string* value = Find(name);
  if (value == nullptr) {
    return std::string(*choices.begin());
  }
  if (!absl::c_linear_search(choices, *value)) {
    error_.Update(absl::InvalidArgumentError(
        absl::StrCat("option '", name, "' is '", *value, "'; use ",
                     absl::StrJoin(choices, " or "))));
  }
  return *value;
}

bool PassOptions::Flag(absl::string_view name, bool otherwise) {
  const std::string* value = Find(name);
  if (value == nullptr) {
    return otherwise;
  }
  if (*value != "true" && *value != "false" && !value->empty()) {
    error_.Update(absl::InvalidArgumentError(absl::StrCat(
        "option '", name, "' is '", *value, "'; use true or false")));
  }
  return *value != "false";
}

absl::Status PassOptions::Check() const {
  NS_RETURN_IF_ERROR(error_);
  const std::vector<absl::string_view> known(known_.begin(), known_.end());
  for (const auto& [name, value] : values_) {
    if (absl::c_linear_search(known, name)) {
      continue;
    }
    const std::string all =
        known.empty() ? "it takes none"
                      : absl::StrCat("it takes ", absl::StrJoin(known, ", "));
    return absl::InvalidArgumentError(absl::StrCat(
        "has no option '", name, "'; ", DidYouMean(name, known, all)));
  }
  return absl::OkStatus();
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
