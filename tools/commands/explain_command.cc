#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ir/base/nearest_name.h"
#include "ns/findings/causes.h"
#include "tools/command_line/standard_streams.h"
#include "tools/commands/commands.h"

namespace ns {
namespace {

constexpr CommandSpec kSpec = {
    "explain",
    "what the cause in a verdict means, and what to do about it",
    "ns explain [CAUSE]",
    "CAUSE is the word that ns compare prints behind its verdict, such as\n"
    "outlier-channel. Without one, all causes are listed.\n",
    {},
    "ns explain outlier-channel",
    {},
    1,
};

// Returns `text` in lines of at most 80 columns, each behind two spaces.
std::string Wrapped(absl::string_view text) {
  constexpr size_t kColumns = 80;
  std::string lines;
  std::string line = " ";
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (line.size() + 1 + word.size() > kColumns) {
      absl::StrAppend(&lines, line, "\n");
      line = " ";
    }
    absl::StrAppend(&line, " ", word);
  }
  return absl::StrCat(lines, line, "\n");
}

std::string List() {
  std::string text;
  for (const CauseRow& row : Causes()) {
    absl::StrAppend(&text, row.name, "\n", Wrapped(row.meaning));
  }
  return text;
}

std::string Page(const CauseRow& row) {
  return absl::StrCat(row.name, "\n\n", Wrapped(row.meaning),
                      "\nHow to recognize it\n", Wrapped(row.sign),
                      "\nWhat to do\n", Wrapped(row.cure), "\nExample\n",
                      Wrapped(row.example));
}

CommandOutcome Run(const Flags& flags) {
  if (flags.arguments().empty()) {
    return CommandOutcome::Done(WriteToStandardOutput(List()));
  }
  const std::string& name = flags.arguments()[0];
  if (const CauseRow* row = FindCause(name)) {
    return CommandOutcome::Done(WriteToStandardOutput(Page(*row)));
  }
  std::vector<absl::string_view> names;
  for (const CauseRow& row : Causes()) {
    names.push_back(row.name);
  }
  return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
      absl::StrCat("no cause is called '", name, "'; ",
                   DidYouMean(name, names, "ns explain lists them"))));
}

}  // namespace

Command ExplainCommand() { return {&kSpec, Run}; }

}  // namespace ns
