#include "tools/command_line/command_line.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ns/result/shell_word.h"

namespace ns {
namespace {

const FlagSpec* FindFlag(const CommandSpec& command, absl::string_view name) {
  const auto it = absl::c_find_if(command.flags, [&](const FlagSpec& flag) {
    return !name.empty() && (flag.name == name || flag.alias == name);
  });
  return it == command.flags.end() ? nullptr : &*it;
}

std::string SeeHelp(const CommandSpec& command) {
  return absl::StartsWith(command.usage, "ns ")
             ? absl::StrCat("see ns help ", command.name)
             : absl::StrCat("see ", command.name, " --help");
}

absl::Status UnknownFlag(const CommandSpec& command, absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const FlagSpec& flag : command.flags) {
    if (!flag.name.empty()) {
      names.push_back(flag.name);
    }
  }
  const absl::string_view nearest = NearestName(name, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag --", name, "; ",
      nearest.empty() ? SeeHelp(command)
                      : absl::StrCat("did you mean --", nearest, "?")));
}

absl::Status Unexpected(const CommandSpec& command,
                        absl::string_view argument) {
  return absl::InvalidArgumentError(
      absl::StrCat("unexpected argument '", argument,
                   "'; flags are --name=value, ", SeeHelp(command)));
}

// Whether `argument` is a file or another value, and no flag.
bool IsValue(absl::string_view argument) {
  return !absl::StartsWith(argument, "-");
}

// Returns `word` as a shell takes it. ShellWord takes what begins with a dash
// for a path, and a flag, or the "-" that is its value, is none.
std::string Quoted(const std::string& word) {
  size_t start = 0;
  if (!IsValue(word)) {
    const size_t equals = word.find('=');
    start = equals == std::string::npos ? word.size() : equals + 1;
    start = std::min(word.find_first_not_of('-', start), word.size());
  }
  return start == word.size() ? word
                              : absl::StrCat(word.substr(0, start),
                                             ShellWord(word.substr(start)));
}

}  // namespace

absl::StatusOr<Flags> Flags::Parse(absl::Span<const std::string> arguments,
                                   const CommandSpec& command) {
  Flags flags;
  flags.command_ = std::string(command.name);
  flags.words_.assign(arguments.begin(), arguments.end());
  std::vector<std::string> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (IsValue(argument)) {
      values.emplace_back(argument);
      continue;
    }
    std::string long_name;
    if (argument == "-o" || absl::StartsWith(argument, "-o=")) {
      long_name = absl::StrCat("--out", argument.substr(2));
      argument = long_name;
    }
    if (!absl::ConsumePrefix(&argument, "--")) {
      return Unexpected(command, argument);
    }
    const size_t equals = argument.find('=');
    const absl::string_view name = argument.substr(0, equals);
    const FlagSpec* spec = FindFlag(command, name);
    if (spec == nullptr) {
      return UnknownFlag(command, name);
    }
    const bool has_equals = equals != absl::string_view::npos;
    if (spec->value.empty()) {
      if (has_equals) {
        return absl::InvalidArgumentError(
            absl::StrCat("--", name, " takes no value"));
      }
      NS_RETURN_IF_ERROR(flags.Add(*spec, "true"));
      continue;
    }
    absl::string_view value;
    if (has_equals) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size() &&
               !absl::StartsWith(arguments[i + 1], "--")) {
      value = arguments[++i];
    }
    NS_RETURN_IF_ERROR(flags.Add(*spec, value));
  }
  if (!command.positionals.empty()) {
    NS_RETURN_IF_ERROR(flags.AddPositionals(values, command));
  } else if (values.size() > command.most_arguments) {
    return Unexpected(command, values[command.most_arguments]);
  } else {
    flags.arguments_ = std::move(values);
  }
  return flags;
}

std::string Flags::CommandText() const {
  std::string text = absl::StrCat("ns ", command_);
  for (const std::string& word : words_) {
    absl::StrAppend(&text, " ", Quoted(word));
  }
  return text;
}

absl::Status Flags::Add(const FlagSpec& spec, absl::string_view value) {
  // "--out=$UNSET" is no way to leave a flag out.
  if (value.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", spec.name, " needs a value: --", spec.name, "=", spec.value));
  }
  const auto [earlier, is_first] = values_.emplace(spec.name, value);
  if (is_first) {
    return absl::OkStatus();
  }
  if (!spec.is_list) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", spec.name, " is given twice"));
  }
  absl::StrAppend(&earlier->second, ",", value);
  return absl::OkStatus();
}

absl::Status Flags::AddPositionals(absl::Span<const std::string> arguments,
                                   const CommandSpec& command) {
  std::vector<const FlagSpec*> open;
  for (const absl::string_view name : command.positionals) {
    if (!Has(name)) {
      open.push_back(FindFlag(command, name));
    }
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool is_left = i >= open.size();
    if (is_left && (open.empty() || !open.back()->is_list)) {
      return Unexpected(command, arguments[i]);
    }
    NS_RETURN_IF_ERROR(Add(is_left ? *open.back() : *open[i], arguments[i]));
  }
  return absl::OkStatus();
}

bool Flags::Has(absl::string_view name) const {
  return values_.find(name) != values_.end();
}

std::string Flags::Get(absl::string_view name,
                       absl::string_view otherwise) const {
  const auto it = values_.find(name);
  return it == values_.end() ? std::string(otherwise) : it->second;
}

absl::StatusOr<std::string> Flags::Required(absl::string_view name) const {
  const std::string value = Get(name);
  if (value.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--", name, " is required"));
  }
  return value;
}

absl::StatusOr<std::vector<std::string>> Flags::List(
    absl::string_view name) const {
  std::vector<std::string> parts;
  if (!Has(name)) {
    return parts;
  }
  parts = absl::StrSplit(Get(name), ',');
  if (absl::c_linear_search(parts, "")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, "=", Get(name), " has an empty part"));
  }
  return parts;
}

absl::StatusOr<std::optional<int64_t>> Flags::Number(absl::string_view name,
                                                     int64_t least) const {
  if (!Has(name)) {
    return std::optional<int64_t>();
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(Get(name), &number) || number < least) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, "=", Get(name),
                     " is not a whole number of at least ", least));
  }
  return std::optional<int64_t>(number);
}

absl::StatusOr<std::optional<double>> Flags::Positive(
    absl::string_view name) const {
  if (!Has(name)) {
    return std::optional<double>();
  }
  double number = 0;
  if (!absl::SimpleAtod(Get(name), &number) || !std::isfinite(number) ||
      number <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, "=", Get(name), " is not a number above 0"));
  }
  return std::optional<double>(number);
}

absl::StatusOr<std::string> Flags::Choice(
    absl::string_view name, absl::Span<const absl::string_view> choices) const {
  const std::string value = Get(name, choices.front());
  if (!absl::c_linear_search(choices, value)) {
    const absl::string_view nearest = NearestName(value, choices);
    return absl::InvalidArgumentError(absl::StrCat(
        "--", name, "=", value, " is not one of ", absl::StrJoin(choices, ", "),
        nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?")));
  }
  return value;
}

}  // namespace ns
