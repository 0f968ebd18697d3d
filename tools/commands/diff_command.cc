#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/files/read_text_file.h"
#include "ns/compare/engines.h"
#include "ns/findings/limits/comparison_diff.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/findings/limits/limits.h"
#include "ns/inspect/inspect_model.h"
#include "ns/inspect/inspection_diff.h"
#include "ns/report/html/html_report.h"
#include "ns/report/json/diff_json.h"
#include "ns/report/json/read_comparison.h"
#include "ns/report/junit_report.h"
#include "ns/report/table/diff_table.h"
#include "tools/command_line/comparison_file.h"
#include "tools/command_line/report_output.h"
#include "tools/commands/commands.h"
#include "tools/flags/limit_flags.h"

namespace ns {
namespace {

constexpr FlagSpec kFlags[] = {
    {"max-drop", "DB",
     "exit with 1 when an SQNR of B is more than so many dB below that of A, "
     "or gone: 1dB, and what figures scatter over batches"},
    {"json", "PATH", "write the differences as JSON; - is standard output"},
    {"html", "PATH",
     "write the page of B, with figures as differences to A; - is standard "
     "output"},
    kJunitFlag,
    {"sort", "ORDER",
     "rows by graph (execution, default) or error (the greatest loss first)"},
    {"top", "N", "only the N worst rows, worst first"},
    {"quiet", "", "no table"},
};

constexpr CommandSpec kSpec = {
    "diff",
    "shows what differs between two comparisons, or two quantized models",
    "ns diff A B [--flag=value ...]",
    "A and B are what ns compare --json wrote, or two quantized models, of "
    "which "
    "ops, dtypes,\n"
    "scales and zero points are compared. The table has a row for each SQNR "
    "that\n"
    "differs, in dB; figures and layers that only one of them has are listed "
    "below. With\n"
    "--max-drop, activations are held against the limit, or, where the "
    "comparisons have none,\n"
    "shadows, kernels, weights, stubs or outputs. A figure that B has lost "
    "crosses it.\n",
    kFlags,
    "ns diff before.json after.json "
    "--max-drop=1dB",
    {},
    2,
};

struct Options {
  DiffPaths paths;
  std::optional<double> max_drop_db;
  ReportOutputs outputs;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  if (flags.arguments().size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("diff takes two files and got ", flags.arguments().size(),
                     "; use ns diff A.json B.json"));
  }
  options.paths = {flags.arguments()[0], flags.arguments()[1]};
  if (flags.Has("max-drop")) {
    const absl::StatusOr<double> drop = ParseDecibels(flags.Get("max-drop"));
    if (!drop.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--max-drop: ", drop.status().message()));
    }
    options.max_drop_db = *drop;
  } else if (flags.Has("junit")) {
    return absl::InvalidArgumentError(
        "--junit needs a limit, such as --max-drop=1dB");
  }
  NS_ASSIGN_OR_RETURN(options.outputs, ParseReportOutputs(flags));
  NS_RETURN_IF_ERROR(
      CheckDistinct({{"json", options.outputs.json_path},
                     {"html", options.outputs.html_path},
                     {"junit", options.outputs.junit_path}},
                    {{"A", options.paths.a}, {"B", options.paths.b}}));
  return options;
}

// Whether the file at `path` is a model, by the first bytes of a zip archive.
bool IsModel(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[4] = {};
  return file.read(start, sizeof(start)) &&
         absl::string_view(start, sizeof(start)) == "PK\x03\x04";
}

// Compares two models, which are not run.
CommandOutcome DiffModels(const Options& options) {
  const DiffPaths& paths = options.paths;
  for (const std::string& path : {paths.a, paths.b}) {
    if (!IsModel(path)) {
      return CommandOutcome::Failed(absl::InvalidArgumentError(absl::StrCat(
          path, ": is not a model, but ", path == paths.a ? paths.b : paths.a,
          " is; diff takes two models or two comparisons")));
    }
  }
  if (options.max_drop_db) {
    return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
        "--max-drop is a limit on figures of ns compare --json, and models "
        "have none; leave it out"));
  }
  if (!options.outputs.html_path.empty()) {
    return CommandOutcome::WrongUsage(absl::InvalidArgumentError(
        "--html is for two files of ns compare --json, not for two models; "
        "leave it out"));
  }
  ReportTexts texts;
  InspectionDiff diff;
  texts.json = [&] { return InspectionDiffJson(diff); };
  texts.table = [&](const TableOptions& table) {
    return InspectionDiffTable(diff, table);
  };
  return CommandOutcome::Done([&]() -> absl::Status {
    NS_RETURN_IF_ERROR(PrepareOutputs({options.outputs.json_path}));
    NS_RETURN_IF_ERROR(WithEngine("", [&]() -> absl::Status {
      NS_ASSIGN_OR_RETURN(const ModelInspection a,
                          InspectModel(paths.a, "forward"));
      NS_ASSIGN_OR_RETURN(const ModelInspection b,
                          InspectModel(paths.b, "forward"));
      diff = DiffInspections(a, b);
      return absl::OkStatus();
    }));
    return WriteTexts(options.outputs, texts);
  }());
}

absl::StatusOr<ComparisonDiff> Diff(const Options& options) {
  NS_RETURN_IF_ERROR(
      PrepareOutputs({options.outputs.json_path, options.outputs.html_path,
                      options.outputs.junit_path}));
  NS_ASSIGN_OR_RETURN(const ComparisonResult a,
                      ReadComparison(options.paths.a));
  NS_ASSIGN_OR_RETURN(const ComparisonResult b,
                      ReadComparison(options.paths.b));
  ComparisonDiff diff = DiffComparisons(a, b);
  if (diff.layers_in_both == 0 && !(a.layers.empty() && b.layers.empty())) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.paths.a, " and ", options.paths.b,
        ": no layer of one has the name of a layer of the other; they are of "
        "different models"));
  }
  return diff;
}

// Returns the page of comparison B, with its differences to A.
absl::StatusOr<std::string> DiffPage(const DiffPaths& paths) {
  NS_ASSIGN_OR_RETURN(const std::string a,
                      ReadTextFile(paths.a, kComparisonFile));
  NS_ASSIGN_OR_RETURN(const std::string b,
                      ReadTextFile(paths.b, kComparisonFile));
  return Annotated(paths.b, ToHtmlOfDiff(b, {paths.a, a}));
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  if (IsModel(options->paths.a) || IsModel(options->paths.b)) {
    return DiffModels(*options);
  }
  const absl::StatusOr<ComparisonDiff> diff = Diff(*options);
  if (!diff.ok()) {
    return CommandOutcome::Failed(diff.status());
  }
  const std::vector<LimitCheck> checks =
      options->max_drop_db ? CheckDrops(*diff, *options->max_drop_db)
                           : std::vector<LimitCheck>();
  ReportTexts texts;
  texts.json = [&] { return ToDiffJson(*diff, options->paths, checks); };
  texts.html = [&] { return DiffPage(options->paths); };
  texts.junit = [&] { return ToJunit("ns diff", checks); };
  texts.table = [&](const TableOptions& table) {
    return ToDiffTable(*diff, checks, table);
  };
  const absl::Status status = WriteTexts(options->outputs, texts);
  return status.ok() ? CommandOutcome::LimitCrossed(CrossedLine(checks))
                     : CommandOutcome::Failed(status);
}

}  // namespace

Command DiffCommand() { return {&kSpec, Run}; }

}  // namespace ns
