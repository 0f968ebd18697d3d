#include "tools/command_line/help_text.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tools/command_line/terminal.h"

namespace ns {
namespace {

constexpr size_t kLeastWidth = 60;
constexpr size_t kUsualWidth = 80;
// The text of a flag with a longer name begins on the next line.
constexpr size_t kMostNameWidth = 26;
// Longer lines are hard to read.
constexpr size_t kMostWidth = 110;

std::string Shape(const FlagSpec& flag) {
  return absl::StrCat("--", flag.name, flag.value.empty() ? "" : "=",
                      flag.value);
}

// Returns the lines of at most `width` columns that `text` is wrapped to. Words
// are not taken apart.
std::vector<std::string> Wrap(absl::string_view text, size_t width) {
  std::vector<std::string> lines = {""};
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = std::string(word);
    } else if (line.size() + 1 + word.size() <= width) {
      absl::StrAppend(&line, " ", word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

}  // namespace

std::string HelpText(const CommandSpec& command, size_t width) {
  width = std::min(std::max(width, kLeastWidth), kMostWidth);
  size_t name_width = 0;
  for (const FlagSpec& flag : command.flags) {
    if (const size_t size = Shape(flag).size(); size <= kMostNameWidth) {
      name_width = std::max(name_width, size);
    }
  }
  std::string text = absl::StrCat("usage: ", command.usage, "\n\n",
                                  command.summary, "\n", command.details);
  if (!command.flags.empty() && !command.flags.front().name.empty()) {
    absl::StrAppend(&text, "\nflags:\n");
  }
  const std::string indent(name_width + 4, ' ');
  for (const FlagSpec& flag : command.flags) {
    if (flag.name.empty()) {
      absl::StrAppend(&text, "\n", flag.help, ":\n");
      continue;
    }
    const std::string name = Shape(flag);
    absl::StrAppend(&text, "  ", name,
                    name.size() > name_width
                        ? absl::StrCat("\n", indent)
                        : std::string(name_width - name.size() + 2, ' '),
                    absl::StrJoin(Wrap(flag.help, width - indent.size()),
                                  absl::StrCat("\n", indent)),
                    "\n");
  }
  absl::StrAppend(&text, "\nexample:\n  ", ExampleLine(command), "\n");
  return text;
}

std::string ExampleLine(const CommandSpec& command) {
  const size_t space = command.example.find(' ');
  if (std::getenv("BUILD_WORKING_DIRECTORY") == nullptr ||
      space == absl::string_view::npos) {
    return std::string(command.example);
  }
  return absl::StrCat(
      "bazel run -c opt //tools:", command.example.substr(0, space), " --",
      command.example.substr(space));
}

size_t HelpWidth() { return TerminalWidth().value_or(kUsualWidth); }

}  // namespace ns
