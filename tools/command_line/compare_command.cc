#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/status.h"
#include "ir/training_mode.h"
#include "ns/accuracy/label_accuracy.h"
#include "ns/batches/batch_reader.h"
#include "ns/report/limit_text.h"
#include "ns/report/stub_table.h"
#include "ns/report/table_report.h"
#include "ns/suite/activation_files.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/compare_reference.h"
#include "ns/suite/user_metrics.h"
#include "tools/command_line/commands.h"
#include "tools/command_line/compare_flags.h"
#include "tools/command_line/compare_modules.h"
#include "tools/command_line/compare_spec.h"
#include "tools/command_line/leaf_hint.h"
#include "tools/command_line/limit_flags.h"
#include "tools/command_line/model_pair.h"
#include "tools/command_line/progress_bar.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/run_facts.h"
#include "tools/command_line/run_flags.h"
#include "tools/command_line/state_dict_files.h"

namespace ns {
namespace {

// Warns of files that did not fit the budget.
void WarnOfLeftOut(const ActivationFiles& files, ComparisonResult& result) {
  if (files.files_left_out() > 0) {
    result.warnings.push_back(absl::StrCat(
        "--save-activations: ", files.files_left_out(), " files did not fit ",
        files.bytes_written(), " bytes written so far; raise --save-budget"));
  }
}

absl::Status CompareLoaded(const CompareFlags& options, ModelPair& models,
                           const BatchReader& batches, LimitChecker& limits,
                           ComparisonResult& result) {
  ProgressBar bar(options.outputs.quiet);
  CompareOptions compare = options.compare;
  compare.progress = [&](int64_t done, int64_t total) {
    bar.Update(done, total);
  };
  compare.check_matches = [&](const ComparisonResult& matched) {
    return limits.CheckMatches(matched);
  };
  if (options.limits.early_stop) {
    compare.is_settled = [&](const ComparisonResult& so_far, int64_t left) {
      return limits.IsCrossedForGood(so_far, left);
    };
  }
  for (const MetricFlag& metric : options.metrics) {
    NS_ASSIGN_OR_RETURN(UserMetric loaded,
                        LoadUserMetric(metric.name, metric.path));
    compare.user_metrics.push_back(std::move(loaded));
  }
  std::optional<LabelAccuracy> accuracy;
  if (!options.labels_path.empty()) {
    NS_ASSIGN_OR_RETURN(
        accuracy, LabelAccuracy::Load(options.labels_path, batches.size(),
                                      options.run.max_batches.has_value()));
    compare.see_outputs = [&](int64_t batch, const c10::IValue& of_float,
                              const c10::IValue& of_quantized) {
      return accuracy->Add(batch, of_float, of_quantized);
    };
  }
  std::optional<ActivationFiles> files;
  if (!options.save.directory.empty()) {
    NS_ASSIGN_OR_RETURN(files, ActivationFiles::Create(options.save));
    compare.files = &*files;
  }
  NS_ASSIGN_OR_RETURN(
      result,
      options.reference.empty()
          ? CompareModels(models.float_model, models.quantized_model, batches,
                          compare)
          : CompareWithReference(models.float_model, models.quantized_model,
                                 batches, options.reference, compare));
  if (result.batches < batches.size() && options.limits.early_stop) {
    result.warnings.push_back(absl::StrCat(
        "--early-stop: a limit is crossed after ", result.batches, " of ",
        batches.size(), " batches, whatever the others hold"));
  }
  if (std::string hint = LeafHint(models, result); !hint.empty()) {
    result.warnings.push_back(std::move(hint));
  }
  if (accuracy) {
    result.accuracy = accuracy->Result();
  }
  if (files) {
    WarnOfLeftOut(*files, result);
  }
  return absl::OkStatus();
}

// Modules in which no op can be compared are compared as one op, unless --leaf
// says which are.
absl::Status CompareLayers(const CompareFlags& options,
                           const BatchReader& batches, LimitChecker& limits,
                           ComparisonResult& result) {
  std::vector<std::string> leaves;
  NS_RETURN_IF_ERROR(
      WithModels(options.models, [&](ModelPair& models) -> absl::Status {
        if (options.models.leaves.empty() &&
            (options.compare.activations || options.compare.shadows)) {
          leaves = FindLeaves(models, batches, options.compare);
        }
        return leaves.empty()
                   ? CompareLoaded(options, models, batches, limits, result)
                   : absl::OkStatus();
      }));
  if (leaves.empty()) {
    return absl::OkStatus();
  }
  CompareFlags with_leaves = options;
  with_leaves.models.leaves = leaves;
  NS_RETURN_IF_ERROR(WithModels(with_leaves.models, [&](ModelPair& models) {
    return CompareLoaded(with_leaves, models, batches, limits, result);
  }));
  result.warnings.push_back(absl::StrCat(
      "modules of type ", absl::StrJoin(leaves, " and "),
      " are compared as one op each, as by --leaf=", absl::StrJoin(leaves, ","),
      ": eager quantization takes them apart, and none of their ops could be "
      "compared"));
  return absl::OkStatus();
}

// Compares the weights of state dicts; see state_dict_files.h.
absl::StatusOr<ComparisonResult> CompareStateDicts(const CompareFlags& options,
                                                   LimitChecker& limits) {
  NS_ASSIGN_OR_RETURN(
      ComparisonResult result,
      CompareStateDictFiles(options.models, options.compare.histograms));
  NS_RETURN_IF_ERROR(limits.CheckMatches(result));
  return result;
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

std::vector<std::string> FilesOf(const CompareFlags& options) {
  std::vector<std::string> paths = {options.models.float_path,
                                    options.models.quantized_path};
  const std::vector<std::string>& inputs = options.run.input_paths;
  paths.insert(paths.end(), inputs.begin(), inputs.end());
  return paths;
}

// Warns of files that were saved in training mode.
void WarnOfTrainingMode(const ModelPairOptions& models,
                        ComparisonResult& result) {
  std::vector<std::string> files = {models.float_path};
  if (models.quantized_path != models.float_path) {
    files.push_back(models.quantized_path);
  }
  for (const std::string& file : files) {
    if (const auto warning = TrainingModeWarning(file)) {
      result.warnings.push_back(*warning);
    }
  }
}

absl::StatusOr<ComparisonResult> Compare(const CompareFlags& options,
                                         LimitChecker& limits) {
  UseThreads(options.run);
  BatchReader batches = BatchReader::FromBatches({});
  if (options.RunsLayers() || options.modules.Any()) {
    NS_ASSIGN_OR_RETURN(batches, OpenBatches(options.run));
  }
  ComparisonResult result;
  if (options.ComparesLayers()) {
    NS_RETURN_IF_ERROR(CompareLayers(options, batches, limits, result));
  } else {
    result.matching = options.compare.match.mode == MatchingMode::kStrict
                          ? "strict"
                          : "aligned";
  }
  NS_RETURN_IF_ERROR(CompareModules(options.modules, options.models, batches,
                                    options.outputs.quiet, result));
  WarnOfTrainingMode(options.models, result);
  return result;
}

// Compares, holds the result against the limits, and writes it.
absl::Status CompareAndWrite(const CompareFlags& options, bool are_state_dicts,
                             LimitChecker& limits, ComparisonResult& result) {
  NS_RETURN_IF_ERROR(
      PrepareOutputs({options.outputs.json_path, options.outputs.csv_path,
                      options.outputs.html_path, options.outputs.junit_path}));
  NS_ASSIGN_OR_RETURN(result, are_state_dicts
                                  ? CompareStateDicts(options, limits)
                                  : Compare(options, limits));
  result.float_path = options.models.float_path;
  result.quantized_path = options.models.quantized_path;
  limits.Check(result);
  if (options.compare.graphs) {
    NS_RETURN_IF_ERROR(DescribeRun(FilesOf(options), result));
  }
  return WriteReports(options.outputs, result, ToTables);
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<CompareFlags> options = ParseCompareFlags(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const bool only_weights = options->compare.weights &&
                            !options->RunsLayers() && !options->modules.Any();
  const bool are_state_dicts = only_weights && AreStateDicts(options->models);
  if (are_state_dicts) {
    if (absl::Status status = CheckFlagsOfStateDicts(flags); !status.ok()) {
      return CommandOutcome::WrongUsage(status);
    }
  }
  absl::StatusOr<LimitChecker> limits = LimitChecker::Create(options->limits);
  if (!limits.ok()) {
    return CommandOutcome::Failed(limits.status());
  }
  ComparisonResult result;
  const absl::Status status =
      CompareAndWrite(*options, are_state_dicts, *limits, result);
  if (!limits->wrong_usage().ok()) {
    return CommandOutcome::WrongUsage(limits->wrong_usage());
  }
  return status.ok() ? CommandOutcome::LimitCrossed(CrossedLine(
                           result.limits.value_or(std::vector<LimitCheck>())))
                     : CommandOutcome::Failed(status);
}

}  // namespace

Command CompareCommand() { return {&CompareSpec(), Run}; }

}  // namespace ns
