#include "tools/commands/run_comparison.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/compare_notice.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/report/table/stub_table.h"
#include "ns/report/table/table_report.h"
#include "tools/command_line/report_output.h"
#include "tools/flags/limit_flags.h"
#include "tools/flags/run_flags.h"

namespace ns {
namespace {

// Words a notice with the flags that it is about.
std::string Word(const CompareNotice& notice) {
  switch (notice.kind) {
    case CompareNotice::Kind::kComparedAsOneOp:
      return absl::StrCat(
          "modules of type ", absl::StrJoin(notice.types, " and "),
          " are compared as one op each, as by --leaf=",
          absl::StrJoin(notice.types, ","),
          ": eager quantization takes them apart, and none of their ops could "
          "be compared");
    case CompareNotice::Kind::kUnmatchedInModules:
      return absl::StrCat(
          "ops of ", FirstNames(notice.modules),
          " are unmatched; eager quantization takes such modules apart, and "
          "--leaf=",
          absl::StrJoin(notice.types, ","), " compares each of them as one op");
    case CompareNotice::Kind::kSettledEarly:
      return absl::StrCat("--early-stop: a limit is crossed after ",
                          notice.done, " of ", notice.total,
                          " batches, whatever the others hold");
    case CompareNotice::Kind::kValuesLeftOut:
      break;
  }
  return absl::StrCat("--save-activations: ", notice.left_out,
                      " files did not fit ", notice.bytes,
                      " bytes written so far; raise --save-budget");
}

// Returns the tables of the layers, if any were compared, the stubs and the
// outputs.
std::string ToTables(const ComparisonResult& result,
                     const TableOptions& options) {
  std::vector<std::string> tables;
  const bool has_modules =
      result.stubs.has_value() || result.outputs.has_value();
  if (!has_modules || !result.layers.empty() || !result.unmatched.empty()) {
    tables.push_back(ToTable(result, options));
  }
  if (result.stubs.has_value()) {
    tables.push_back(ToStubTable(result, options));
  }
  if (result.outputs.has_value()) {
    tables.push_back(ToOutputTable(result, options));
  }
  return absl::StrJoin(tables, "\n");
}

// Compares, holds the result against the limits, and writes it.
absl::Status CompareAndWrite(const CompareFlags& flags,
                             const std::optional<std::string>& partial,
                             LimitChecker& limits, ComparisonResult& result) {
  NS_RETURN_IF_ERROR(
      PrepareOutputs({flags.outputs.json_path, flags.outputs.csv_path,
                      flags.outputs.html_path, flags.outputs.junit_path}));
  CompareFilesOptions options = flags.compare;
  options.word = Word;
  options.progress = BarOf(flags.outputs.quiet);
  options.compare.check_matches = [&](const ComparisonResult& matched) {
    return limits.CheckMatches(matched);
  };
  if (flags.limits.early_stop) {
    options.compare.is_settled = [&](const ComparisonResult& so_far,
                                     int64_t left) {
      return limits.IsCrossedForGood(so_far, left);
    };
  }
  BatchReader batches = BatchReader::FromBatches({});
  UseThreads(flags.run);
  if (RunsLayers(options.compare) || options.modules.Any() ||
      options.compare.times) {
    NS_ASSIGN_OR_RETURN(batches, OpenBatches(flags.run));
  }
  BatchReader second_batches = BatchReader::FromBatches({});
  if (!options.second.paths.empty()) {
    NS_ASSIGN_OR_RETURN(
        second_batches,
        BatchReader::Open(options.second.paths, flags.run.max_batches));
    options.second.batches = &second_batches;
  }
  NS_ASSIGN_OR_RETURN(result, Compare(batches, options));
  options.progress = nullptr;  // Erases the bar.
  for (const auto& paths : {flags.run.input_paths, options.second.paths}) {
    absl::c_move(RandomInputsWarning(paths),
                 std::back_inserter(result.warnings));
  }
  result.partial = partial;
  limits.Check(result);
  return WriteReports(flags.outputs, result, ToTables);
}

}  // namespace

StartProgress BarOf(bool quiet) {
  const auto bar = std::make_shared<std::unique_ptr<ProgressBar>>();
  return [bar, quiet] {
    *bar = nullptr;  // Erases the one before.
    *bar = std::make_unique<ProgressBar>(quiet);
    return [bar](int64_t done, int64_t total) { (*bar)->Update(done, total); };
  };
}

CommandOutcome RunComparison(const CompareFlags& flags,
                             const std::optional<std::string>& partial) {
  absl::StatusOr<LimitChecker> limits = LimitChecker::Create(flags.limits);
  if (!limits.ok()) {
    return CommandOutcome::Failed(limits.status());
  }
  ComparisonResult result;
  const absl::Status status = CompareAndWrite(flags, partial, *limits, result);
  if (!limits->wrong_usage().ok()) {
    return CommandOutcome::WrongUsage(limits->wrong_usage());
  }
  return status.ok() ? CommandOutcome::LimitCrossed(CrossedLine(
                           result.limits.value_or(std::vector<LimitCheck>())))
                     : CommandOutcome::Failed(status);
}

}  // namespace ns
