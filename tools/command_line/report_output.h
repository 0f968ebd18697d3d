// Writes a command's results to the files and the terminal that its flags ask
// for.
#ifndef TOOLS_COMMAND_LINE_REPORT_OUTPUT_H_
#define TOOLS_COMMAND_LINE_REPORT_OUTPUT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/files/atomic_file.h"
#include "ns/report/table/table_report.h"
#include "ns/result/comparison_result.h"
#include "tools/command_line/command_line.h"

namespace ns {

struct ReportOutputs {
  std::string json_path;
  std::string csv_path;
  std::string html_path;
  std::string junit_path;
  std::string qconfig_path;
  bool sort_by_error = false;
  // TableOptions::sort_by_time.
  bool sort_by_time = false;
  // TableOptions::top.
  size_t top = 0;
  // TableOptions::source.
  bool source = false;
  // TableOptions::coverage.
  bool coverage = false;
  // Whether histograms of the result are written into the JSON: the HTML has
  // them in any case.
  bool histograms = false;
  bool quiet = false;
};

// Reads --json, --csv, --html, --junit, --emit-qconfig, --sort, --top,
// --source, --coverage, --histograms and --quiet. A command may have only some
// of them.
// Error: a path that is empty, two files that both go to standard output ("-"),
// or an unknown --sort.
absl::StatusOr<ReportOutputs> ParseReportOutputs(const Flags& flags);

// A path, and the flag that gave it.
struct PathFlag {
  absl::string_view flag;
  std::string path;
};

// Returns an error when one of `outputs` is one of `inputs`, or is named twice.
// Outputs that are empty or "-" are ignored.
absl::Status CheckDistinct(const std::vector<PathFlag>& outputs,
                           const std::vector<PathFlag>& inputs);

// Returns an error when one of `outputs`, which are written as files only, is
// "-".
absl::Status CheckAreFiles(const std::vector<PathFlag>& outputs);

// Checks, before any work is done, that `outputs` can be written to, and
// removes temporary files that killed runs left beside them. Outputs that are
// empty or "-" are ignored.
absl::Status PrepareOutputs(const std::vector<std::string>& outputs);

// Writes `text` to the file `path`, or to standard output where that is "-".
absl::Status WriteOutput(const std::string& path, const std::string& text);

// The texts of a result; each is made when it is needed.
struct ReportTexts {
  std::function<std::string()> json;
  std::function<std::string()> csv;
  std::function<absl::StatusOr<std::string>()> html;
  std::function<std::string()> junit;
  std::function<std::string()> qconfig;
  std::function<std::string(const TableOptions&)> table;
  std::vector<std::string> warnings;
  // What is written with the files of the texts, such as a model.
  std::vector<FileToWrite> files;
};

// Writes the files that were asked for, all or none, prints the warnings to
// standard error and, unless quiet or standard output is taken by a file named
// "-", the table.
absl::Status WriteTexts(const ReportOutputs& outputs, const ReportTexts& texts);

// Writes the reports of a comparison in this way, with the table that `table`
// returns.
absl::Status WriteReports(const ReportOutputs& outputs,
                          const ComparisonResult& result,
                          std::string (*table)(const ComparisonResult&,
                                               const TableOptions&));

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_REPORT_OUTPUT_H_
