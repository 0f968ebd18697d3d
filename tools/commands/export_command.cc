#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/files/atomic_file.h"
#include "ir/files/read_text_file.h"
#include "ns/report/html/model_explorer.h"
#include "tools/command_line/comparison_file.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/output_folder.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"format", "NAME", "model-explorer, the only one"},
    {"json", "PATH", "what ns compare wrote with --json and --graph"},
    {"out", "DIR", "the folder for the files; made where it is not there"},
};

constexpr absl::string_view kPositionals[] = {"json"};

constexpr CommandSpec kSpec = {
    "export",
    "writes a comparison for other viewers of graphs",
    "ns export JSON --format=model-explorer --out=DIR",
    "For Google's Model Explorer: graphs.json has both graphs, and\n"
    "weight_sqnr_db.json, activation_sqnr_db.json and shadow_sqnr_db.json are\n"
    "node data that colours them.\n",
    kFlags,
    "ns export compare.json --format=model-explorer -o explorer",
    kPositionals,
};

// Sets `wrong_usage` where a file of `folder` would replace the input.
absl::Status Export(const std::string& json_path, const std::string& folder,
                    absl::Status& wrong_usage) {
  NS_ASSIGN_OR_RETURN(const std::string json,
                      ReadTextFile(json_path, kComparisonFile));
  NS_ASSIGN_OR_RETURN(const std::vector<ExportedFile> files,
                      Annotated(json_path, ToModelExplorer(json)));
  std::vector<FileToWrite> writes;
  std::vector<PathFlag> outputs;
  for (const ExportedFile& file : files) {
    const std::string path = absl::StrCat(folder, "/", file.name);
    outputs.push_back({"out", path});
    writes.push_back(TextFile(file.text, path));
  }
  wrong_usage = CheckDistinct(outputs, {{"json", json_path}});
  NS_RETURN_IF_ERROR(wrong_usage);
  NS_RETURN_IF_ERROR(MakeOutputFolder(folder).status());
  return WriteFilesAtomically(writes);
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<std::string> format = flags.Required("format");
  if (!format.ok()) {
    return CommandOutcome::WrongUsage(format.status());
  }
  if (*format != "model-explorer") {
    return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
        absl::StrCat("--format=", *format, " is not model-explorer")));
  }
  const absl::StatusOr<std::string> json_path = flags.Required("json");
  if (!json_path.ok()) {
    return CommandOutcome::WrongUsage(json_path.status());
  }
  const absl::StatusOr<std::string> folder = flags.Required("out");
  if (!folder.ok()) {
    return CommandOutcome::WrongUsage(folder.status());
  }
  absl::Status wrong_usage;
  const absl::Status status = Export(*json_path, *folder, wrong_usage);
  return wrong_usage.ok() ? CommandOutcome::Done(status)
                          : CommandOutcome::WrongUsage(wrong_usage);
}

}  // namespace

Command ExportCommand() { return {&kSpec, Run}; }

}  // namespace ns
