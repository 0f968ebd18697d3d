#include "tools/command_line/man_page.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace ns {
namespace {

// Returns `text` such that roff shows it as it is: no character of it is an
// escape, a hyphen or, at the start of a line, a macro.
std::string Verbatim(absl::string_view text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  std::string all;
  for (const std::string& line : lines) {
    if (absl::StartsWith(line, ".") || absl::StartsWith(line, "'")) {
      absl::StrAppend(&all, "\\&");
    }
    absl::StrAppend(
        &all, absl::StrReplaceAll(line, {{"\\", "\\e"}, {"-", "\\-"}}), "\n");
  }
  all.pop_back();
  return all;
}

// A block whose lines stay as they are.
std::string Lines(absl::string_view text) {
  return absl::StrCat(".nf\n", Verbatim(absl::StripSuffix(text, "\n")),
                      "\n.fi\n");
}

}  // namespace

std::string ManPage(const CommandSpec& command, absl::string_view version) {
  std::string page = absl::StrCat(
      ".TH NS-", absl::AsciiStrToUpper(command.name), " 1 \"\" \"ns ", version,
      "\" \"ns\"\n.SH NAME\n", Verbatim(absl::StrCat("ns-", command.name)),
      " \\- ", Verbatim(command.summary), "\n.SH SYNOPSIS\n.B ",
      Verbatim(command.usage), "\n");
  if (!command.details.empty()) {
    absl::StrAppend(&page, ".SH DESCRIPTION\n", Lines(command.details));
  }
  if (!command.flags.empty()) {
    absl::StrAppend(&page, ".SH FLAGS\n");
  }
  for (const FlagSpec& flag : command.flags) {
    if (flag.name.empty()) {
      absl::StrAppend(&page, ".SS \"", Verbatim(flag.help), "\"\n");
      continue;
    }
    absl::StrAppend(
        &page, ".TP\n.B ",
        Verbatim(absl::StrCat("--", flag.name, flag.value.empty() ? "" : "=",
                              flag.value)),
        "\n", Verbatim(flag.help), "\n");
  }
  absl::StrAppend(&page, ".SH EXIT STATUS\n",
                  Lines("0  done\n"
                        "1  a limit is crossed\n"
                        "2  wrong usage\n"
                        "3  a file that cannot be used\n"
                        "4  an error of ns itself"),
                  ".SH EXAMPLE\n", Lines(command.example), ".SH SEE ALSO\n",
                  Verbatim("ns help, and tools/docs of the sources"), "\n");
  return page;
}

}  // namespace ns
