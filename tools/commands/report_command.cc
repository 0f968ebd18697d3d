#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/status.h"
#include "ir/files/read_text_file.h"
#include "ns/report/html/html_report.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"

namespace ns {
namespace {

constexpr TextFileKind kJsonFile = {"result", "ns --json", size_t{1} << 30};

constexpr FlagSpec kFlags[] = {
    {"json", "PATH",
     "what ns compare, sensitivity, quantize or search wrote with --json"},
    {"html", "PATH", "where the page goes; - is standard output"},
};

constexpr absl::string_view kPositionals[] = {"json", "html"};

constexpr CommandSpec kSpec = {
    "report",
    "makes the HTML report of results that were written as JSON",
    "ns report JSON HTML",
    "The page is one file that needs no other and no network. It holds the "
    "JSON\n"
    "itself. That of ns compare has a graph where it was written together with "
    "--html,\n"
    "or with --graph.\n",
    kFlags,
    "ns report compare.json compare.html",
    kPositionals,
};

absl::Status Report(const std::string& json_path,
                    const std::string& html_path) {
  NS_RETURN_IF_ERROR(PrepareOutputs({html_path}));
  NS_ASSIGN_OR_RETURN(const std::string json,
                      ReadTextFile(json_path, kJsonFile));
  NS_ASSIGN_OR_RETURN(const std::string html,
                      Annotated(json_path, ToHtml(json)));
  return WriteOutput(html_path, html);
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<std::string> json_path = flags.Required("json");
  if (!json_path.ok()) {
    return CommandOutcome::WrongUsage(json_path.status());
  }
  const absl::StatusOr<std::string> html_path = flags.Required("html");
  if (!html_path.ok()) {
    return CommandOutcome::WrongUsage(html_path.status());
  }
  const absl::Status distinct =
      CheckDistinct({{"html", *html_path}}, {{"json", *json_path}});
  if (!distinct.ok()) {
    return CommandOutcome::WrongUsage(distinct);
  }
  return CommandOutcome::Done(Report(*json_path, *html_path));
}

}  // namespace

Command ReportCommand() { return {&kSpec, Run}; }

}  // namespace ns
