#include "tools/command_line/command_line.h"

#include <algorithm>
#include <cmath>
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
#include "ir/base/status.h"
#include "llvm/ADT/StringRef.h"

namespace ns {
namespace {

const FlagSpec* FindFlag(const CommandSpec& command, absl::string_view name) {
  const auto it = absl::c_find_if(
      command.flags, [&](const FlagSpec& flag) { return flag.name == name; });
  return it == command.flags.end() ? nullptr : &*it;
}

absl::Status UnknownFlag(const CommandSpec& command, absl::string_view name) {
  const FlagSpec* closest = nullptr;
  // With more edits than these it is another word.
  unsigned best = std::min<unsigned>(3, name.size() / 2);
  for (const FlagSpec& flag : command.flags) {
    const unsigned distance =
        llvm::StringRef(flag.name.data(), flag.name.size())
            .edit_distance(llvm::StringRef(name.data(), name.size()));
    if (distance <= best) {
      best = distance;
      closest = &flag;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag --", name,
      closest != nullptr ? absl::StrCat("; did you mean --", closest->name, "?")
      : absl::StartsWith(command.usage, "ns ")
          ? absl::StrCat("; see ns help ", command.name)
          : absl::StrCat("; see ", command.name, " --help")));
}

}  // namespace

absl::StatusOr<Flags> Flags::Parse(absl::Span<const std::string> arguments,
                                   const CommandSpec& command) {
  Flags flags;
  for (absl::string_view argument : arguments) {
    if (!absl::StartsWith(argument, "-") &&
        flags.arguments_.size() < command.most_arguments) {
      flags.arguments_.emplace_back(argument);
      continue;
    }
    if (!absl::ConsumePrefix(&argument, "--")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "unexpected argument '", argument, "'; flags are --name=value"));
    }
    const size_t equals = argument.find('=');
    const absl::string_view name = argument.substr(0, equals);
    const FlagSpec* spec = FindFlag(command, name);
    if (spec == nullptr) {
      return UnknownFlag(command, name);
    }
    const bool has_value = equals != absl::string_view::npos;
    if (has_value && spec->value.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " takes no value"));
    }
    // "--out=$UNSET" is no way to leave a flag out.
    const bool is_empty = !has_value || equals + 1 == argument.size();
    if (is_empty && !spec->value.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", name, " needs a value: --", name, "=", spec->value));
    }
    const absl::string_view value =
        has_value ? argument.substr(equals + 1) : "true";
    const auto [earlier, is_first] = flags.values_.emplace(name, value);
    if (!is_first && !spec->is_list) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " is given twice"));
    }
    if (!is_first) {
      absl::StrAppend(&earlier->second, ",", value);
    }
  }
  return flags;
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
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, "=", value, " is not one of ",
                     absl::StrJoin(choices, ", ")));
  }
  return value;
}

std::string HelpText(const CommandSpec& command) {
  const auto shape = [](const FlagSpec& flag) {
    return absl::StrCat("--", flag.name, flag.value.empty() ? "" : "=",
                        flag.value);
  };
  size_t width = 0;
  for (const FlagSpec& flag : command.flags) {
    width = std::max(width, shape(flag).size());
  }
  std::string text = absl::StrCat("usage: ", command.usage, "\n\n",
                                  command.summary, "\n", command.details);
  if (!command.flags.empty()) {
    absl::StrAppend(&text, "\nflags:\n");
  }
  for (const FlagSpec& flag : command.flags) {
    const std::string left = shape(flag);
    absl::StrAppend(&text, "  ", left,
                    std::string(width - left.size() + 2, ' '), flag.help, "\n");
  }
  absl::StrAppend(&text, "\nexample:\n  ", command.example, "\n");
  return text;
}

}  // namespace ns
