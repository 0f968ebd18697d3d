#include "ns/compare/compare.h"

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/byte_stream.h"
#include "ir/base/status.h"
#include "ir/files/training_mode.h"
#include "ns/accuracy/task_figures.h"
#include "ns/batches/random_batches.h"
#include "ns/compare/describe_run.h"
#include "ns/compare/fault_guard.h"
#include "ns/compare/leaf_modules.h"
#include "ns/compare/state_dict_files.h"
#include "ns/reference/compare_reference.h"
#include "ns/suite/compare_models.h"
#include "ns/suite/user_metrics.h"

namespace ns {
namespace {

// Compares layers, and adds what else there is to say of them.
class LayerComparer {
 public:
  LayerComparer(const BatchReader& batches, const CompareFilesOptions& options)
      : batches_(batches), options_(options) {}

  // Compares the samples of `chosen`, or all where it is absent. Where the
  // options choose samples by what the models return, it finds them first, and
  // sets `chosen`.
  absl::StatusOr<ComparisonResult> Compare(
      const ModelPair& models, std::optional<ChosenSamples>& chosen) {
    if (options_.samples && !chosen) {
      CompareOptions first = options_.compare;
      if (options_.progress) {
        first.progress = options_.progress();
      }
      NS_ASSIGN_OR_RETURN(
          chosen, ChooseSamples(models, batches_, *options_.samples, first));
    }
    const std::optional<MergeRun>& merge = options_.compare.merge;
    if (merge &&
        static_cast<int64_t>(merge->batches.size()) < batches_.size()) {
      return CompareBatches(models,
                            BatchReader::OfBatches(batches_, merge->batches),
                            std::nullopt);
    }
    if (!chosen) {
      return CompareBatches(models, batches_, std::nullopt);
    }
    return CompareBatches(models,
                          BatchReader::OfSamples(batches_, chosen->selection),
                          chosen->selection);
  }

 private:
  absl::StatusOr<ComparisonResult> CompareBatches(
      const ModelPair& models, const BatchReader& batches,
      const SampleSelection& selection) {
    CompareOptions compare = options_.compare;
    if (options_.progress) {
      compare.progress = options_.progress();
    }
    for (const MetricFile& metric : options_.metrics) {
      NS_ASSIGN_OR_RETURN(UserMetric loaded,
                          LoadUserMetric(metric.name, metric.path));
      compare.user_metrics.push_back(std::move(loaded));
    }
    // Without activations, or with a reference, one model alone runs.
    std::optional<TaskFigures> figures;
    if (compare.activations && options_.reference.empty()) {
      NS_ASSIGN_OR_RETURN(
          figures,
          TaskFigures::Load(options_.task, batches_.size(), selection));
      compare.save_seen = [&](ByteWriter& writer) { figures->Save(writer); };
      compare.merge_seen = [&](ByteReader& reader) { figures->Merge(reader); };
      compare.see_outputs = [&](int64_t batch, const c10::IValue& of_float,
                                const c10::IValue& of_quantized) {
        return figures->Add(batch, of_float, of_quantized);
      };
    }
    std::optional<ActivationFiles> files;
    if (!options_.save.directory.empty()) {
      NS_ASSIGN_OR_RETURN(files, ActivationFiles::Create(options_.save));
      compare.files = &*files;
    }
    const FaultGuard faults(models);
    NS_ASSIGN_OR_RETURN(
        ComparisonResult result,
        options_.reference.empty()
            ? CompareModels(models.float_model, models.quantized_model, batches,
                            compare)
            : CompareWithReference(models.float_model, models.quantized_model,
                                   batches, options_.reference, compare));
    if (compare.shard) {
      return result;
    }
    if (figures) {
      NS_RETURN_IF_ERROR(figures->SetFigures(result));
    }
    if (options_.second.batches != nullptr) {
      if (options_.progress) {
        compare.progress = options_.progress();
      }
      NS_RETURN_IF_ERROR(
          CompareOnSecondData(models, options_.second, compare, result));
    }
    AddNotices(models, batches, files, result);
    absl::c_move(faults.Warnings(), std::back_inserter(result.warnings));
    return result;
  }

  void AddNotices(const ModelPair& models, const BatchReader& batches,
                  const std::optional<ActivationFiles>& files,
                  ComparisonResult& result) const {
    if (result.batches < batches.size() && options_.compare.is_settled) {
      CompareNotice notice = {CompareNotice::Kind::kSettledEarly};
      notice.done = result.batches;
      notice.total = batches.size();
      result.warnings.push_back(options_.word(notice));
    }
    if (const auto notice = UnmatchedInModules(models, result)) {
      result.warnings.push_back(options_.word(*notice));
    }
    if (files && files->files_left_out() > 0) {
      CompareNotice notice = {CompareNotice::Kind::kValuesLeftOut};
      notice.left_out = files->files_left_out();
      notice.bytes = files->bytes_written();
      result.warnings.push_back(options_.word(notice));
    }
  }

  const BatchReader& batches_;
  const CompareFilesOptions& options_;
};

absl::StatusOr<ComparisonResult> CompareLayers(
    const BatchReader& batches, const CompareFilesOptions& options,
    std::optional<ChosenSamples>& chosen) {
  LayerComparer comparer(batches, options);
  ModelPairOptions models_of_run = options.models;
  if (options.compare.merge) {
    models_of_run.engine = options.engine_of_shards;
  }
  ComparisonResult result;
  std::vector<std::string> leaves;
  const auto compare = [&](const ModelPair& models) -> absl::Status {
    NS_ASSIGN_OR_RETURN(result, comparer.Compare(models, chosen));
    return absl::OkStatus();
  };
  NS_RETURN_IF_ERROR(
      WithModels(models_of_run, [&](const ModelPair& models) -> absl::Status {
        if (options.models.leaves.empty() &&
            (options.compare.activations || options.compare.shadows)) {
          leaves = FindLeaves(models, batches, options.compare);
        }
        return leaves.empty() ? compare(models) : absl::OkStatus();
      }));
  if (leaves.empty()) {
    return result;
  }
  ModelPairOptions with_leaves = models_of_run;
  with_leaves.leaves = leaves;
  NS_RETURN_IF_ERROR(WithModels(with_leaves, compare));
  CompareNotice notice = {CompareNotice::Kind::kComparedAsOneOp};
  notice.types = leaves;
  result.warnings.push_back(options.word(notice));
  return result;
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
      result.in_training_mode.push_back(file);
    }
  }
}

absl::StatusOr<ComparisonResult> CompareModelFiles(
    const BatchReader& batches, const CompareFilesOptions& options) {
  std::optional<ChosenSamples> chosen;
  if (options.samples && options.samples->kind == SampleChoice::Kind::kListed) {
    NS_ASSIGN_OR_RETURN(chosen, ListedSamples(batches, *options.samples));
  }
  ComparisonResult result;
  if (options.compare.weights || RunsLayers(options.compare)) {
    NS_ASSIGN_OR_RETURN(result, CompareLayers(batches, options, chosen));
  } else {
    result.matching = options.compare.match.mode == MatchingMode::kStrict
                          ? "strict"
                          : "aligned";
  }
  if (options.compare.shard) {
    return result;
  }
  const auto compare_modules = [&](const BatchReader& compared) {
    return CompareModules(options.modules, options.models, compared,
                          options.progress, result);
  };
  NS_RETURN_IF_ERROR(chosen ? compare_modules(BatchReader::OfSamples(
                                  batches, chosen->selection))
                            : compare_modules(batches));
  if (chosen) {
    result.samples = chosen->compared;
  }
  WarnOfTrainingMode(options.models, result);
  return result;
}

absl::StatusOr<ComparisonResult> CompareWeightFiles(
    const CompareFilesOptions& options) {
  NS_ASSIGN_OR_RETURN(
      ComparisonResult result,
      CompareStateDictFiles(options.models, options.compare.histograms));
  if (options.compare.check_matches) {
    NS_RETURN_IF_ERROR(options.compare.check_matches(result));
  }
  return result;
}

}  // namespace

bool RunsLayers(const CompareOptions& options) {
  return options.activations || options.shadows || options.kernels;
}

bool ComparesStateDicts(const CompareFilesOptions& options) {
  return options.compare.weights && !RunsLayers(options.compare) &&
         !options.modules.Any() && AreStateDicts(options.models);
}

absl::StatusOr<ComparisonResult> Compare(const BatchReader& batches,
                                         const CompareFilesOptions& options) {
  NS_ASSIGN_OR_RETURN(ComparisonResult result,
                      ComparesStateDicts(options)
                          ? CompareWeightFiles(options)
                          : CompareModelFiles(batches, options));
  result.float_path = options.models.float_path;
  result.quantized_path = options.models.quantized_path;
  result.input_paths = options.input_paths;
  result.load = options.models;
  if (options.compare.graphs) {
    std::vector<std::string> files = {options.models.float_path,
                                      options.models.quantized_path};
    for (const auto& paths : {options.input_paths, options.second.paths}) {
      absl::c_copy_if(paths, std::back_inserter(files),
                      [](const std::string& path) { return !IsRandom(path); });
    }
    NS_RETURN_IF_ERROR(DescribeRun(files, result));
  }
  return result;
}

}  // namespace ns
