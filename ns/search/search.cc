#include "ns/search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/status.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/copy_for_target.h"
#include "ns/quantization/held_back_batches.h"
#include "ns/quantization/quantized_engine.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/layer_times.h"
#include "ns/search/measured_outputs.h"
#include "ns/search/noise_model.h"
#include "ns/search/recipe_solver.h"
#include "ns/search/search_candidates.h"
#include "ns/search/search_space.h"

namespace ns {
namespace {

// A measured SQNR that is less than this above the budget is good enough.
constexpr double kSlackDb = 0.3;
// What noise is taken for larger by, after a recipe that missed the budget and
// after a second one: the next recipe is to keep it.
constexpr double kCaution[] = {1.03, 1.2, 1.2};
// Predictions are corrected by more than this part, or not at all.
constexpr double kLeastCorrection = 0.03;
// How many rows a prediction is made of, if so many vectors suffice: the
// deviation of the power that it is the mean of is sqrt(2 / rows) = 4 %.
constexpr int64_t kRows = 1024;
constexpr int kFewestProjections = 2;
constexpr int kMostProjections = 8;

double ToDb(double noise) { return -10 * std::log10(noise); }
double ToNoise(double db) { return std::pow(10, -db / 10); }

bool HasInt8(const RecipeChoices& choices) {
  return absl::c_any_of(choices, [](int choice) { return choice != 0; });
}

int64_t CountInt8(const RecipeChoices& choices) {
  return absl::c_count_if(choices, [](int choice) { return choice != 0; });
}

// How often outputs of batches like `batch`, of which there are `batches`, are
// differentiated.
int ProjectionsFor(const Batch& batch, int64_t batches) {
  int64_t samples = 1;
  if (!batch.arguments.empty() && batch.arguments[0].isTensor() &&
      batch.arguments[0].toTensor().dim() > 0) {
    samples = std::max<int64_t>(1, batch.arguments[0].toTensor().size(0));
  }
  return static_cast<int>(
      std::clamp<int64_t>((kRows + samples * batches - 1) / (samples * batches),
                          kFewestProjections, kMostProjections));
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
    NS_ASSIGN_OR_RETURN(const Batch first, batches_.Read(0));
    NS_ASSIGN_OR_RETURN(times_, MeasureLayerTimes(*space_, *values_, first));
    MakeSolver();
    NS_RETURN_IF_ERROR(HasLabels() ? SearchByLabels() : SearchByBudget());
    if (!best_) {
      return Unmet();
    }
    NS_RETURN_IF_ERROR(Describe(first));
    Progress(total_ - done_);
    return std::move(result_);
  }

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
    std::vector<std::string> skipped;
    NS_ASSIGN_OR_RETURN(std::vector<SearchCandidate> candidates,
                        SearchCandidates(model_, options_.quantize,
                                         options_.candidates, skipped));
    for (std::string& line : skipped) {
      const size_t colon = line.find(": ");
      result_.skipped.push_back(
          {"all layers", line.substr(0, colon), line.substr(colon + 2)});
    }
    for (const SearchCandidate& candidate : candidates) {
      result_.candidates.push_back(candidate.name);
    }
    NS_ASSIGN_OR_RETURN(
        SearchSpace space,
        SearchSpace::Create(model_, options_.quantize, std::move(candidates)));
    space_ = std::make_unique<SearchSpace>(std::move(space));
    absl::c_copy(space_->skipped(), std::back_inserter(result_.skipped));
    NS_ASSIGN_OR_RETURN(CalibratedValues values,
                        CalibratedValues::Create(*space_));
    values_ = std::make_unique<CalibratedValues>(std::move(values));
    const int64_t measured = count() - first_measured_;
    NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(0));
    projections_ = ProjectionsFor(batch, measured);
    const int64_t verified = HasLabels() ? count() : measured;
    total_ = count() + measured * (2 + 2 * projections_) +
             (HasLabels() ? first_measured_ : 0) + kVerifications * verified;
    NS_RETURN_IF_ERROR(
        values_->Calibrate(batches_, [this](int64_t) { Progress(1); }));
    result_.float_passes += 1;
    if (count() == 1) {
      result_.warnings.push_back(absl::StrCat(
          "there is one batch, and none is left that was not calibrated on: "
          "the figures are of that one",
          options_.quantize.bias_correction == BiasCorrection::kNone
              ? ""
              : ", and biases are not corrected",
          "; give more"));
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
                            RunBatch("float", model, Copied(batch), i));
        NS_RETURN_IF_ERROR(AddLabels(FloatOutputs(output), batch, i));
        Progress(1);
      }
      result_.float_passes += PartOf(first_measured_);
    }
    for (int64_t i = first_measured_; i < count(); ++i) {
      NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(i));
      NS_ASSIGN_OR_RETURN(NamedTensors outputs, noise_->Run(batch, i));
      if (outputs.empty()) {
        return absl::InvalidArgumentError(
            "the model returns no tensor of floats, whose error could be "
            "measured");
      }
      NS_RETURN_IF_ERROR(AddLabels(outputs, batch, i));
      measured_.AddFloat(i, std::move(outputs));
      Progress(2 + 2 * projections_);
    }
    // One with values rounded, and one with gradients.
    result_.float_passes += 2 * PartOf(count() - first_measured_);
    result_.batches = count();
    result_.measured_batches = count() - first_measured_;
    return absl::OkStatus();
  }

  absl::Status AddLabels(const NamedTensors& outputs, const Batch& batch,
                         int64_t index) {
    return HasLabels()
               ? Annotated(BatchName(batch, index),
                           measured_.AddLabels(
                               index, outputs,
                               options_.labels[static_cast<size_t>(index)]))
               : absl::OkStatus();
  }

  void MakeSolver() {
    RecipeProblem problem;
    for (const SearchLayer& layer : space_->layers()) {
      problem.choices.push_back(static_cast<int>(layer.candidates.size()) + 1);
    }
    problem.cost = [this](const std::vector<int>& choices) {
      const ObserverPlan plan = space_->PlanOf(choices);
      return RecipeCost{noise_->NoiseOf(plan),
                        TimeOfRecipe(*space_, *values_, times_, choices, plan)};
    };
    solver_ = std::make_unique<RecipeSolver>(std::move(problem));
  }

  bool IsVerified(const RecipeChoices& choices) const {
    return absl::c_any_of(result_.verified, [&](const VerifiedRecipe& one) {
      return one.choices == choices;
    });
  }

  // The recipe's model, as `ns quantize` makes it.
  absl::StatusOr<QuantizedModel> ModelOf(const RecipeChoices& choices) {
    const QuantizeOptions options = space_->OptionsOf(choices);
    NS_ASSIGN_OR_RETURN(ModelGraph prepared, PrepareModel(model_, options));
    NS_ASSIGN_OR_RETURN(const bool is_filled,
                        values_->Fill(*options.mapping, prepared));
    if (!is_filled) {
      NS_ASSIGN_OR_RETURN(prepared, PrepareModel(model_, options));
      NS_RETURN_IF_ERROR(CalibrateHoldingBack(prepared, batches_));
      result_.float_passes += 1;
    }
    const std::set<std::string> corrected =
        noise_->CorrectedLayers(space_->PlanOf(choices));
    LayerCorrections corrections;
    corrections.corrects_bias = [&](const std::string& layer) {
      return corrected.count(layer) != 0;
    };
    return ConvertModel(prepared, options, corrections);
  }

  // Runs the model of `recipe`. The last of result_.verified has its figures.
  absl::Status Verify(const Recipe& recipe) {
    NS_ASSIGN_OR_RETURN(QuantizedModel quantized, ModelOf(recipe.choices));
    NS_ASSIGN_OR_RETURN(ModelGraph lowered,
                        CopyForTarget(quantized.model, options_.quantize));
    measured_.Begin();
    const int64_t first = HasLabels() ? 0 : first_measured_;
    for (int64_t i = first; i < count(); ++i) {
      NS_ASSIGN_OR_RETURN(const Batch batch, batches_.Read(i));
      NS_ASSIGN_OR_RETURN(const c10::IValue output,
                          RunBatch("quantized", lowered, Copied(batch), i));
      NS_RETURN_IF_ERROR(Annotated(BatchName(batch, i),
                                   measured_.Compare(i, FloatOutputs(output))));
      Progress(1);
    }
    result_.quantized_passes += PartOf(count() - first);
    VerifiedRecipe verified;
    verified.choices = recipe.choices;
    verified.predicted_db = ToDb(correction_ * recipe.cost.noise);
    verified.predicted_us = recipe.cost.time;
    verified.measured_db = ToDb(measured_.noise());
    if (measured_.noise() > 0 && recipe.cost.noise > 0) {
      correction_ = measured_.noise() / recipe.cost.noise;
    }
    if (HasLabels()) {
      verified.top1 = measured_.top1();
      verified.p_value = PValueOfDrop(*verified.top1, options_.max_drop);
      verified.keeps_budget = verified.p_value >= kSignificance;
    } else {
      verified.keeps_budget = verified.measured_db >= options_.budget_db;
    }
    const bool is_best =
        verified.keeps_budget && (!best_ || verified.predicted_us < best_us_);
    result_.verified.push_back(std::move(verified));
    if (is_best) {
      best_ = std::make_unique<QuantizedModel>(std::move(quantized));
      best_us_ = recipe.cost.time;
      result_.chosen = result_.verified.size() - 1;
    }
    return absl::OkStatus();
  }

  absl::Status SearchByBudget() {
    double caution = 1;
    for (int i = 0; i < kVerifications; ++i) {
      const std::optional<Recipe> recipe =
          solver_->Solve(ToNoise(options_.budget_db) / (correction_ * caution));
      if (!recipe || !HasInt8(recipe->choices) || IsVerified(recipe->choices)) {
        break;
      }
      NS_RETURN_IF_ERROR(Verify(*recipe));
      const VerifiedRecipe& verified = result_.verified.back();
      if (!verified.keeps_budget) {
        caution = kCaution[i];
      } else if (verified.measured_db - options_.budget_db < kSlackDb ||
                 correction_ > 1 - kLeastCorrection) {
        break;
      }
    }
    return best_ ? absl::OkStatus() : VerifyMostExact();
  }

  // Measures the recipe with the least noise that quantizes something, to have
  // something to tell.
  absl::Status VerifyMostExact() {
    const std::vector<Recipe> frontier = solver_->Frontier();
    const Recipe* most_exact = nullptr;
    for (const Recipe& recipe : frontier) {
      if (HasInt8(recipe.choices)) {
        most_exact = &recipe;
      }
    }
    const bool is_new = most_exact != nullptr &&
                        !IsVerified(most_exact->choices) &&
                        result_.verified.size() < kVerifications;
    return is_new ? Verify(*most_exact) : absl::OkStatus();
  }

  absl::Status SearchByLabels() {
    double limit = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kVerifications && !best_; ++i) {
      const std::optional<Recipe> recipe = solver_->Solve(limit);
      if (!recipe || !HasInt8(recipe->choices) || IsVerified(recipe->choices)) {
        break;
      }
      NS_RETURN_IF_ERROR(Verify(*recipe));
      // The drop falls about as the noise does.
      const double drop = result_.verified.back().top1->drop();
      limit = recipe->cost.noise *
              std::clamp(options_.max_drop / drop, 1.0 / 16, 1.0 / 2);
    }
    return absl::OkStatus();
  }

  absl::Status Unmet() const {
    const std::string budget =
        HasLabels() ? absl::StrFormat("a drop of %g points", options_.max_drop)
                    : absl::StrFormat("%g dB", options_.budget_db);
    const auto better = [&](const VerifiedRecipe& a, const VerifiedRecipe& b) {
      return HasLabels() ? a.top1->drop() < b.top1->drop()
                         : a.measured_db > b.measured_db;
    };
    const auto best = absl::c_min_element(result_.verified, better);
    if (best == result_.verified.end()) {
      return absl::OutOfRangeError(absl::StrCat(
          "no recipe with an int8 layer keeps ", budget, "; keep it in float"));
    }
    return absl::OutOfRangeError(absl::StrCat(
        "no recipe that was measured keeps ", budget, ": the best has ",
        HasLabels()
            ? absl::StrFormat("a drop of %.2f points", best->top1->drop())
            : absl::StrFormat("%.1f dB", best->measured_db),
        ", with ", CountInt8(best->choices), " of ", space_->layers().size(),
        " layers in int8; ",
        HasLabels() ? "raise --max-drop" : "lower --budget"));
  }

  absl::Status Describe(const Batch& batch) {
    const VerifiedRecipe& chosen = result_.verified[result_.chosen];
    result_.mapping = space_->MappingOf(chosen.choices);
    if (HasLabels()) {
      result_.max_drop = options_.max_drop;
    } else {
      result_.budget_db = options_.budget_db;
    }
    const ObserverPlan plan = space_->PlanOf(chosen.choices);
    std::map<std::string, double> noise;
    double sum = 0;
    for (size_t i = 0; i < plan.layers.size(); ++i) {
      sum += noise[plan.layers[i].name] = noise_->NoiseOfLayer(plan, i);
    }
    for (size_t i = 0; i < space_->layers().size(); ++i) {
      const SearchLayer& layer = space_->layers()[i];
      const FloatSubgraph& subgraph = space_->subgraphs()[layer.subgraph];
      SearchedLayer searched;
      searched.name = subgraph.name;
      searched.op = subgraph.op;
      searched.choice = space_->NameOf(i, chosen.choices[i]);
      searched.noise_share = sum == 0 ? 0 : noise[subgraph.name] / sum;
      searched.time_us = TimeOfLayer(*space_, times_, i, chosen.choices[i]);
      for (int choice = 0; choice <= static_cast<int>(layer.candidates.size());
           ++choice) {
        searched.times_us.emplace_back(space_->NameOf(i, choice),
                                       TimeOfLayer(*space_, times_, i, choice));
      }
      result_.layers.push_back(std::move(searched));
    }
    for (const Recipe& recipe : solver_->Frontier()) {
      result_.pareto.push_back({ToDb(recipe.cost.noise), recipe.cost.time,
                                CountInt8(recipe.choices)});
    }
    NS_ASSIGN_OR_RETURN(ModelGraph model, model_.Clone());
    NS_ASSIGN_OR_RETURN(ModelGraph lowered,
                        CopyForTarget(best_->model, options_.quantize));
    NS_ASSIGN_OR_RETURN(const std::vector<double> least,
                        TimeModels({&model, &lowered}, batch));
    result_.float_us = least[0];
    result_.measured_us = least[1];
    result_.quantized = std::move(*best_);
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
  std::unique_ptr<RecipeSolver> solver_;
  LayerTimes times_;
  int projections_ = kFewestProjections;
  int64_t done_ = 0;
  int64_t total_ = 0;
  // The noise of the recipe that was verified last, over what was predicted.
  double correction_ = 1;
  // Of the cheapest recipe so far that keeps the budget.
  std::unique_ptr<QuantizedModel> best_;
  double best_us_ = 0;
  SearchResult result_;
};

}  // namespace

absl::StatusOr<SearchResult> Search(const ModelGraph& model,
                                    const BatchReader& batches,
                                    const SearchOptions& options) {
  const ScopedEngine engine(EngineOf(options.quantize.backend));
  return Searcher(model, batches, options).Run();
}

}  // namespace ns
