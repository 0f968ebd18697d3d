#include "tools/command_line/report_output.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/files/atomic_file.h"
#include "ns/findings/causes.h"
#include "ns/findings/verdict.h"
#include "ns/report/csv_report.h"
#include "ns/report/html/html_report.h"
#include "ns/report/json/json_report.h"
#include "ns/report/junit_report.h"
#include "ns/report/table/accuracy_text.h"
#include "ns/result/figure_kinds.h"
#include "ns/result/printable.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/short_lines.h"
#include "tools/command_line/standard_streams.h"
#include "tools/command_line/terminal.h"

namespace ns {
namespace {

constexpr char kStandardOutput[] = "-";

TableOptions OptionsForTerminal(const ReportOutputs& outputs) {
  TableOptions options;
  options.sort_by_error = outputs.sort_by_error;
  options.sort_by_time = outputs.sort_by_time;
  options.top = outputs.top;
  options.source = outputs.source;
  options.coverage = outputs.coverage;
  if (isatty(STDOUT_FILENO) == 1) {
    // See no-color.org: if the variable is set and not empty, there is no
    // colour.
    const char* no_color = std::getenv("NO_COLOR");
    options.color = no_color == nullptr || *no_color == '\0';
    options.width = static_cast<int>(TerminalWidth().value_or(0));
  }
  return options;
}

std::string CanonicalPath(const std::string& path) {
  std::error_code error;
  const auto canonical =
      std::filesystem::weakly_canonical(ResolveLinks(path), error);
  return error ? path : canonical.string();
}

// False for a path that stands for no file: an empty one, and standard output.
bool IsFile(const std::string& path) {
  return !path.empty() && path != kStandardOutput;
}

absl::Status PrepareFile(const std::string& path) {
  const std::string file = ResolveLinks(path);
  const size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : file.substr(0, slash);
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot write into folder ", folder));
  }
  NS_RETURN_IF_ERROR(CheckIsReplaceable(path));
  RemoveStaleTemporaries(path);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReportOutputs> ParseReportOutputs(const Flags& flags) {
  ReportOutputs outputs;
  // The flag whose file is standard output.
  absl::string_view printed;
  for (const auto& [name, path] :
       {std::pair("json", &outputs.json_path),
        std::pair("csv", &outputs.csv_path),
        std::pair("html", &outputs.html_path),
        std::pair("junit", &outputs.junit_path),
        std::pair("emit-qconfig", &outputs.qconfig_path)}) {
    *path = flags.Get(name);
    if (flags.Has(name) && path->empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " needs a path; - is standard output"));
    }
    if (*path != kStandardOutput) {
      continue;
    }
    if (!printed.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", printed, " and --", name, " both go to standard output"));
    }
    printed = name;
  }
  // Times are there only where they are asked for.
  NS_ASSIGN_OR_RETURN(const std::string sort,
                      flags.Has("time")
                          ? flags.Choice("sort", {"graph", "error", "time"})
                          : flags.Choice("sort", {"graph", "error"}));
  NS_ASSIGN_OR_RETURN(const std::optional<int64_t> top, flags.Number("top", 1));
  outputs.top = static_cast<size_t>(top.value_or(0));
  if (top && flags.Has("sort") && sort == "graph") {
    return absl::InvalidArgumentError(
        "--top shows the worst first, and --sort=graph another order; leave "
        "one of them out");
  }
  outputs.sort_by_time = sort == "time";
  outputs.sort_by_error = sort == "error" || (top && !outputs.sort_by_time);
  outputs.source = flags.Has("source");
  outputs.coverage = flags.Has("coverage");
  outputs.histograms = flags.Has("histograms");
  outputs.quiet = flags.Has("quiet");
  return outputs;
}

absl::Status CheckDistinct(const std::vector<PathFlag>& outputs,
                           const std::vector<PathFlag>& inputs) {
  // Maps a canonical path to its flag.
  std::map<std::string, absl::string_view> taken;
  for (const PathFlag& input : inputs) {
    taken.emplace(CanonicalPath(input.path), input.flag);
  }
  for (const PathFlag& output : outputs) {
    if (!IsFile(output.path)) {
      continue;
    }
    const auto [it, added] =
        taken.emplace(CanonicalPath(output.path), output.flag);
    if (!added) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", output.flag, "=", output.path,
          " would overwrite the file of --", it->second, "; name another"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAreFiles(const std::vector<PathFlag>& outputs) {
  for (const PathFlag& output : outputs) {
    if (output.path == kStandardOutput) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", output.flag,
                       "=- is no file; this cannot go to standard output"));
    }
  }
  return absl::OkStatus();
}

absl::Status PrepareOutputs(const std::vector<std::string>& outputs) {
  for (const std::string& output : outputs) {
    if (IsFile(output)) {
      NS_RETURN_IF_ERROR(PrepareFile(output));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteOutput(const std::string& path, const std::string& text) {
  return path == kStandardOutput ? WriteToStandardOutput(text)
                                 : WriteFileAtomically(path, text);
}

namespace {

// A text, and where it goes: "" where it was not asked for.
struct Report {
  std::string path;
  std::function<absl::StatusOr<std::string>()> text;
};

// The writer that prints `text` once `write` has succeeded.
FileContentWriter ThenPrint(FileContentWriter write, const std::string& text) {
  return [write = std::move(write), text](const std::string& temporary) {
    NS_RETURN_IF_ERROR(write(temporary));
    NS_RETURN_IF_ERROR(WriteToStandardOutput(text));
    return FlushStandardOutput();
  };
}

// Writes all files or none. What goes to standard output is printed when the
// contents of all files are written, before they get their names.
absl::Status WriteTogether(std::vector<FileToWrite> files,
                           const std::vector<Report>& reports) {
  std::string printed;
  for (const Report& file : reports) {
    if (file.path.empty()) {
      continue;
    }
    NS_ASSIGN_OR_RETURN(std::string text, file.text());
    if (file.path == kStandardOutput) {
      printed = std::move(text);
      continue;
    }
    files.push_back(TextFile(std::move(text), file.path));
  }
  if (files.empty()) {
    return WriteToStandardOutput(printed);
  }
  if (!printed.empty()) {
    files.back().write = ThenPrint(std::move(files.back().write), printed);
  }
  return WriteFilesAtomically(files);
}

}  // namespace

absl::Status WriteTexts(const ReportOutputs& outputs,
                        const ReportTexts& texts) {
  const std::vector<Report> reports = {{outputs.json_path, texts.json},
                                       {outputs.csv_path, texts.csv},
                                       {outputs.html_path, texts.html},
                                       {outputs.junit_path, texts.junit},
                                       {outputs.qconfig_path, texts.qconfig}};
  NS_RETURN_IF_ERROR(WriteTogether(texts.files, reports));
  for (const std::string& warning : texts.warnings) {
    std::fprintf(stderr, "ns: warning: %s\n",
                 ShortLines(Printable(warning)).c_str());
  }
  const bool is_taken = absl::c_any_of(reports, [](const Report& report) {
    return report.path == kStandardOutput;
  });
  if (outputs.quiet || is_taken) {
    return absl::OkStatus();
  }
  return WriteToStandardOutput(
      ShortLines(texts.table(OptionsForTerminal(outputs))));
}

namespace {

ComparisonResult WithoutHistograms(ComparisonResult result) {
  const auto drop = [](const auto& place, auto& owner) {
    if (place.values != nullptr && (owner.*place.values).has_value()) {
      (owner.*place.values)->histograms.reset();
    }
  };
  for (LayerComparison& layer : result.layers) {
    for (WeightComparison& weight : layer.weights) {
      weight.histograms.reset();
    }
    for (const FigureKind& kind : FigureKinds()) {
      drop(kind.of_layer, layer);
      for (OutputComparison& output : layer.outputs) {
        drop(kind.of_output, output);
      }
    }
  }
  return result;
}

// What the verdict says, and the scores, for JUnit.
std::vector<std::pair<std::string, std::string>> PropertiesOf(
    const ComparisonResult& result) {
  std::vector<std::pair<std::string, std::string>> properties;
  if (const std::optional<Verdict> verdict = VerdictOf(result)) {
    properties = {
        {"culprit", verdict->layer ? result.layers[*verdict->layer].name : ""},
        {"cause", std::string(ErrorCauseName(verdict->cause))},
        {"verdict", verdict->sentences.front()}};
  }
  for (const TaskScore& score : result.scores) {
    properties.emplace_back(absl::StrCat("score ", score.name),
                            ScoreText(score));
  }
  return properties;
}

}  // namespace

absl::Status WriteReports(const ReportOutputs& outputs,
                          const ComparisonResult& result,
                          std::string (*table)(const ComparisonResult&,
                                               const TableOptions&)) {
  ReportTexts texts;
  texts.json = [&] {
    // Histograms that were not asked for are there only for the HTML.
    const bool drops = !outputs.histograms && !outputs.html_path.empty();
    return drops ? ToJson(WithoutHistograms(result)) : ToJson(result);
  };
  texts.csv = [&] { return ToCsv(result); };
  texts.html = [&] { return ToHtml(ToJson(result)); };
  texts.junit = [&] {
    return ToJunit("ns compare",
                   result.limits.value_or(std::vector<LimitCheck>()),
                   result.warnings, PropertiesOf(result));
  };
  texts.table = [&](const TableOptions& options) {
    return table(result, options);
  };
  texts.warnings = result.warnings;
  return WriteTexts(outputs, texts);
}

}  // namespace ns
