#include "ns/search/search.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/nearest_name.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/training_mode.h"
#include "ns/batches/batch.h"
#include "ns/batches/output_tensors.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/saturation_warning.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/layer_times.h"
#include "ns/search/measured_outputs.h"
#include "ns/search/noise_model.h"
#include "ns/search/recipe_runner.h"
#include "ns/search/recipe_search.h"
#include "ns/search/recipe_solver.h"
#include "ns/search/search_candidates.h"
#include "ns/search/search_space.h"
#include "ns/search/searched_layers.h"
#include "passes/kernels/isa.h"
#include "passes/quantization/layers/keep_list.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/runtime/noise/noise_rows.h"

namespace ns {
namespace {

// What is added to the noise of recipes with something that no noise model
// foresees, for each such thing: more than any budget allows.
constexpr double kUnforeseen = NoiseRows::kUnbounded;
// How many rows a prediction is made of, if so many vectors suffice: the
// deviation of the power that it is the mean of is sqrt(2 / rows) = 4 %.
constexpr int64_t kRows = 1024;
constexpr int kFewestProjections = 2;
constexpr int kMostProjections = 8;

// How often outputs of batches of so many samples, of which there are
// `batches`, are differentiated.
int ProjectionsFor(int64_t samples, int64_t batches) {
  const int64_t all = std::max<int64_t>(1, samples) * batches;
  return static_cast<int>(std::clamp<int64_t>(
      (kRows + all - 1) / all, kFewestProjections, kMostProjections));
}

// Whether `times` has one for each layer and candidate.
absl::Status CheckTimes(const SearchSpace& space, const LayerTimes& times) {
  const size_t layers = space.subgraphs().size();
  const bool fits =
      times.in_float.size() == layers &&
      times.in_int8.size() == space.candidates().size() &&
      absl::c_all_of(times.in_int8, [&](const std::vector<double>& one) {
        return one.size() == layers;
      });
  return fits ? absl::OkStatus()
              : absl::InvalidArgumentError(absl::StrCat(
                    "the layer times are of another model: it has ", layers,
                    " layers and ", space.candidates().size(), " candidates"));
}

bool HasElements(const NamedTensors& tensors) {
  return absl::c_any_of(tensors,
                        [](const auto& one) { return one.second.numel() > 0; });
}

class Searcher {
 public:
  Searcher(const ModelGraph& model, const BatchReader& batches,
           const SearchOptions& options)
      : model_(model),
        batches_(batches),
        options_(options),
        first_measured_(
            std::max<int64_t>(0, batches.size() - kMeasuredBatches)),
        measured_(!options.labels.empty()) {}

  absl::StatusOr<SearchResult> Run() {
    NS_RETURN_IF_ERROR(Prepare());
    NS_RETURN_IF_ERROR(MeasureNoise());
    NS_ASSIGN_OR_RETURN(const Batch first, batches_.Read(timed_));
    NS_ASSIGN_OR_RETURN(times_,
                        options_.time_layers
                            ? options_.time_layers(*space_, *values_, first)
                            : MeasureLayerTimes(*space_, *values_, first));
    NS_RETURN_IF_ERROR(CheckTimes(*space_, times_));
    NS_RETURN_IF_ERROR(FindRecipe());
    NS_RETURN_IF_ERROR(Describe(first));
    result_.float_passes += static_cast<double>(runner_->float_passes());
    Progress(total_ - done_);
    return std::move(result_);
  }

  // Whether the error of Run is of the labels, and not of the model.
  bool is_about_labels() const { return is_about_labels_; }

 private:
  bool HasLabels() const { return !options_.labels.empty(); }
  int64_t count() const { return batches_.size(); }
  double PartOf(int64_t batches) const {
    return static_cast<double>(batches) / static_cast<double>(count());
  }

  void Progress(int64_t more) {
    done_ += more;
    if (options_.progress) {
      options_.progress(std::min(done_, total_), total_);
    }
  }

  absl::Status Prepare() {
    if (count() == 0) {
      return absl::InvalidArgumentError(
          "there are no batches; a search needs at least one");
    }
    if (HasLabels() &&
        static_cast<int64_t>(options_.labels.size()) != count()) {
      return OfLabels(absl::InvalidArgumentError(absl::StrCat(
          "there are labels of ", options_.labels.size(), " batches, and ",
          count(), " batches; give a tensor of integers for each")));
    }
    for (const std::optional<std::string>& warning :
         {TrainingModeWarning(model_.source()),
          SaturationWarning(options_.quantize, kernels::HasVnni())}) {
      if (warning) {
        result_.warnings.push_back(*warning);
      }
    }
    NS_ASSIGN_OR_RETURN(std::vector<SearchCandidate> candidates,
                        SearchCandidates(model_, options_.quantize,
                                         options_.candidates, result_.skipped));
    for (const SearchCandidate& candidate : candidates) {
      result_.candidates.push_back(candidate.name);
    }
    NS_ASSIGN_OR_RETURN(
        SearchSpace space,
        SearchSpace::Create(model_, options_.quantize, std::move(candidates)));
    space_ = std::make_unique<SearchSpace>(std::move(space));
    absl::c_copy(space_->skipped(), std::back_inserter(result_.skipped));
    NS_RETURN_IF_ERROR(CheckKept());
    NS_ASSIGN_OR_RETURN(CalibratedValues values,
                        CalibratedValues::Create(*space_));
    values_ = std::make_unique<CalibratedValues>(std::move(values));
    runner_ =
        std::make_unique<RecipeRunner>(model_, batches_, *space_, *values_);
    const int64_t measured = count() - first_measured_;
    NS_ASSIGN_OR_RETURN(const int64_t samples, FindTimed());
    projections_ = ProjectionsFor(samples, measured);
    const int64_t verified = HasLabels() ? count() : measured;
    total_ = count() + measured * (2 + 2 * projections_) +
             (HasLabels() ? first_measured_ : 0) +
             (kVerifications + kFrontierMeasurements) * verified;
    NS_RETURN_IF_ERROR(
        values_->Calibrate(batches_, [this](int64_t) { Progress(1); }));
    result_.float_passes += 1;
    if (count() == 1) {
      result_.warnings.push_back(absl::StrCat(
          "there is one batch, and none is left that was not calibrated on: "
          "the figures are of that one",
          options_.quantize.methods.bias_correction == BiasCorrection::kNone
              ? ""
              : ", and biases are not corrected",
          "; give more"));
    }
    return absl::OkStatus();
  }

  // Finds the first batch that is not empty, which layers are timed on, and
  // returns how many samples it has.
  absl::StatusOr<int64_t> FindTimed() {
    int64_t samples = 0;
    for (int64_t i = 0; i < count() && samples == 0; ++i) {
      NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(i));
      samples = SamplesOf(batch);
      timed_ = i;
    }
    if (samples == 0) {
      return absl::InvalidArgumentError(
          "all batches are empty; a search needs one with samples");
    }
    return samples;
  }

  // Names of the list to keep have to be those of layers.
  absl::Status CheckKept() {
    for (const std::string& entry : options_.quantize.keep) {
      std::vector<absl::string_view> names;
      bool is_used = false;
      for (const FloatSubgraph& layer : space_->subgraphs()) {
        names.push_back(layer.name);
        is_used = is_used || IsKeptBy(layer, entry);
      }
      if (!is_used && IsNameOfLayer(entry)) {
        return absl::InvalidArgumentError(
            absl::StrCat("no layer is called '", entry, "', which is kept; ",
                         DidYouMean(entry, names,
                                    "ns inspect lists the layers of a model")));
      }
      if (!is_used) {
        result_.warnings.push_back(
            absl::StrCat("keep '", entry, "' is for no layer"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status MeasureNoise() {
    NS_ASSIGN_OR_RETURN(NoiseModel noise,
                        NoiseModel::Create(*space_, *values_));
    noise_ = std::make_unique<NoiseModel>(std::move(noise));
    noise_->SetProjections(projections_);
    if (HasLabels()) {
      NS_ASSIGN_OR_RETURN(ModelGraph model, model_.Clone());
      for (int64_t i = 0; i < first_measured_; ++i) {
        NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(i));
        NS_ASSIGN_OR_RETURN(const c10::IValue output,
                            RunBatch("float", model, batch, i));
        NS_RETURN_IF_ERROR(AddLabels(FloatOutputs(output), batch, i));
        Progress(1);
      }
      result_.float_passes += PartOf(first_measured_);
    }
    bool has_elements = false;
    for (int64_t i = first_measured_; i < count(); ++i) {
      NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(i));
      NS_ASSIGN_OR_RETURN(const NamedTensors outputs, noise_->Run(batch, i));
      has_elements = has_elements || HasElements(outputs);
      if (outputs.empty()) {
        return absl::InvalidArgumentError(
            "the model returns no tensor of floats, whose error could be "
            "measured");
      }
      NS_RETURN_IF_ERROR(AddLabels(outputs, batch, i));
      measured_.AddFloat(i, outputs);
      Progress(2 + 2 * projections_);
    }
    if (!has_elements) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the outputs of the last ", count() - first_measured_,
          " batches are empty, and errors are measured on these; put batches "
          "with samples last"));
    }
    WarnOfUnknownNoise();
    // One with values rounded, and one with gradients.
    result_.float_passes += 2 * PartOf(count() - first_measured_);
    result_.batches = count();
    result_.measured_batches = count() - first_measured_;
    return absl::OkStatus();
  }

  void WarnOfUnknownNoise() {
    const ObserverPlan plan = space_->UniformPlan(0);
    if (noise_->NoiseOf(plan) < NoiseRows::kUnbounded) {
      return;
    }
    std::vector<std::string> layers;
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      if (noise_->NoiseOfLayer(plan, i) >= NoiseRows::kUnbounded) {
        layers.push_back(plan.layers[i].name);
      }
    }
    result_.warnings.push_back(absl::StrCat(
        "an output has no finite derivative by some value",
        layers.empty() ? "" : " in ", absl::StrJoin(layers, ", "),
        ": the noise of recipes that round it is not known, and they are tried "
        "last"));
  }

  absl::Status AddLabels(const NamedTensors& outputs, const Batch& batch,
                         int64_t index) {
    return HasLabels() ? OfLabels(Annotated(
                             BatchName(batch, index),
                             measured_.AddLabels(
                                 index, outputs,
                                 options_.labels[static_cast<size_t>(index)])))
                       : absl::OkStatus();
  }

  absl::Status OfLabels(const absl::Status& status) {
    is_about_labels_ = is_about_labels_ || !status.ok();
    return options_.labels_name.empty()
               ? status
               : Annotated(options_.labels_name, status);
  }

  RecipeProblem Problem() const {
    RecipeProblem problem;
    for (const SearchLayer& layer : space_->layers()) {
      problem.choices.push_back(static_cast<int>(layer.candidates.size()) + 1);
    }
    problem.cost = [this](const RecipeChoices& choices) {
      const ObserverPlan plan = space_->PlanOf(choices);
      const int64_t unforeseen = space_->CountSaturating(choices, plan) +
                                 (values_->Knows(plan) ? 0 : 1);
      return RecipeCost{
          noise_->NoiseOf(plan) + kUnforeseen * static_cast<double>(unforeseen),
          TimeOfRecipe(*space_, *values_, times_, choices, plan)};
    };
    return problem;
  }

  absl::StatusOr<MeasuredRecipe> Measure(const RecipeChoices& choices) {
    const int64_t first = HasLabels() ? 0 : first_measured_;
    result_.quantized_passes += PartOf(count() - first);
    return runner_->Measure(choices,
                            noise_->CorrectedLayers(space_->PlanOf(choices)),
                            first, measured_, [this] { Progress(1); });
  }

  absl::Status FindRecipe() {
    if (HasLabels()) {
      result_.max_drop = options_.max_drop;
    } else {
      result_.budget_db = options_.budget_db;
    }
    search_ = std::make_unique<RecipeSearch>(
        Problem(), RecipeLimit{result_.budget_db, result_.max_drop},
        [this](const RecipeChoices& choices) { return Measure(choices); });
    NS_RETURN_IF_ERROR(search_->Run());
    result_.verified = search_->verified();
    result_.chosen = search_->chosen();
    result_.quantized = search_->TakeModel();
    result_.pareto = search_->Frontier();
    absl::c_copy(search_->warnings(), std::back_inserter(result_.warnings));
    return absl::OkStatus();
  }

  absl::Status Describe(const Batch& batch) {
    const VerifiedRecipe& chosen = result_.verified[result_.chosen];
    result_.mapping = space_->MappingOf(chosen.choices)
                          .Without(result_.quantized->report.unused_rules);
    SearchedLayers described = DescribeLayers(
        *space_, times_, *noise_, chosen.choices, chosen.predicted_us);
    result_.layers = std::move(described.layers);
    result_.rest = described.rest;
    NS_ASSIGN_OR_RETURN(ModelGraph model, model_.Clone());
    NS_ASSIGN_OR_RETURN(
        ModelGraph lowered,
        CopyForTarget(result_.quantized->model, options_.quantize));
    NS_ASSIGN_OR_RETURN(const std::vector<double> least,
                        TimeModels({&model, &lowered}, batch));
    result_.float_us = least[0];
    result_.measured_us = least[1];
    return absl::OkStatus();
  }

  const ModelGraph& model_;
  const BatchReader& batches_;
  const SearchOptions& options_;
  const int64_t first_measured_;
  MeasuredOutputs measured_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
  std::unique_ptr<NoiseModel> noise_;
  std::unique_ptr<RecipeRunner> runner_;
  std::unique_ptr<RecipeSearch> search_;
  LayerTimes times_;
  // The batch that they are of.
  int64_t timed_ = 0;
  int projections_ = kFewestProjections;
  int64_t done_ = 0;
  int64_t total_ = 0;
  bool is_about_labels_ = false;
  SearchResult result_;
};

}  // namespace

absl::StatusOr<SearchResult> Search(const ModelGraph& model,
                                    const BatchReader& batches,
                                    const SearchOptions& options) {
  const ScopedEngine engine(EngineOf(options.quantize.backend));
  Searcher searcher(model, batches, options);
  absl::StatusOr<SearchResult> result =
      CatchTorchErrors([&] { return searcher.Run(); });
  return options.model_name.empty() || searcher.is_about_labels()
             ? std::move(result)
             : Annotated(options.model_name, std::move(result));
}

}  // namespace ns
