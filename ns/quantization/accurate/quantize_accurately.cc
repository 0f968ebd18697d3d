#include "ns/quantization/accurate/quantize_accurately.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/base/status.h"
#include "ns/quantization/accurate/choose_ranges.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/accurate/round_layers.h"
#include "ns/quantization/accurate/sequential_bias.h"
#include "ns/quantization/accurate/tried_methods.h"
#include "ns/quantization/model/layer_errors.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/target_error.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/quantization/convert/conversion_cache.h"
#include "passes/quantization/convert/layer_corrections.h"

namespace ns {
namespace {

// How many batches at most, of those that are not held back, correct biases
// layer by layer and round weights adaptively.
constexpr int64_t kMostSampled = 32;

// What the worst output gains at least by corrections layer by layer that take
// the place of others. The batches held back are few: other batches may well
// lose what these gain, if it is less.
constexpr double kLeastGainDb = 0.5;

// What reports call the correction of each bias by itself.
constexpr char kEachBias[] = "bias correction";

bool IsStatic(const QuantizeOptions& options) {
  return !options.compat && !options.reference &&
         options.mode == QuantizeMode::kStatic;
}

bool Corrects(const QuantizeOptions& options) {
  return options.methods.bias_correction != BiasCorrection::kNone &&
         IsStatic(options);
}

bool IsBest(const QuantizeOptions& options) {
  return options.methods.bias_correction == BiasCorrection::kBest;
}

bool Rounds(const QuantizeOptions& options) {
  return options.methods.rounding_steps > 0 && IsStatic(options);
}

bool Chooses(const QuantizeOptions& options) {
  return options.methods.choose_ranges && !options.mapping && IsStatic(options);
}

class Chooser {
 public:
  Chooser(const ModelGraph& float_model, const ModelGraph& prepared,
          const BatchReader& batches, const BatchSplit& split,
          const QuantizeOptions& options, std::vector<Batch> held_back,
          const AfterBatch& after_batch)
      : float_model_(float_model),
        prepared_(&prepared),
        batches_(batches),
        sampled_(SpreadEvenly(split.learned, kMostSampled)),
        options_(options),
        held_back_(std::move(held_back)),
        after_batch_(after_batch) {}

  absl::StatusOr<QuantizedModel> Run() {
    RangeChoices choices;
    if (Chooses(options_)) {
      NS_ASSIGN_OR_RETURN(choices,
                          RangesFor(/*batches=*/{}, /*observers=*/false));
    }
    Take(choices);
    NS_ASSIGN_OR_RETURN(QuantizedModel best,
                        Converted(*prepared_, corrections_));
    if (!held_back_.empty()) {
      Improve(best);
    } else if (const std::string what = NotMeasured(); !what.empty()) {
      warnings_.push_back(absl::StrCat(
          what,
          ": there is one batch, and none is left to see what helps; give "
          "more"));
    }
    best.report.tried = std::move(tried_);
    best.report.warnings.insert(best.report.warnings.end(), warnings_.begin(),
                                warnings_.end());
    best.mapping = std::move(mapping_);
    return best;
  }

 private:
  absl::StatusOr<QuantizedModel> Converted(
      const ModelGraph& prepared, const LayerCorrections& corrections) {
    return ConvertModel(prepared, options_, corrections, &cache_);
  }

  // What is not done without batches that are held back, in one phrase; empty
  // for nothing.
  std::string NotMeasured() const {
    std::vector<absl::string_view> what;
    if (Chooses(options_)) {
      what.push_back("ranges are not chosen");
    }
    if (Corrects(options_)) {
      what.push_back("biases are not corrected");
    }
    if (Rounds(options_)) {
      what.push_back("weights are not rounded adaptively");
    }
    return absl::StrJoin(what, ", ");
  }

  // What cannot be measured is not kept, which a warning says.
  void Improve(QuantizedModel& best) {
    if (Chooses(options_)) {
      WarnUnless("ranges are not chosen",
                 ChooseByMeasure(/*observers=*/false, best));
    }
    if (Chooses(options_) && options_.methods.choose_observers) {
      WarnUnless("observers are not chosen",
                 ChooseByMeasure(/*observers=*/true, best));
    }
    if (Rounds(options_)) {
      WarnUnless("weights are rounded to the nearest", RoundWeights(best));
    }
    if (Corrects(options_)) {
      WarnUnless("biases are not corrected", CorrectBiases(best));
    }
  }

  void WarnUnless(absl::string_view what, const absl::Status& status) {
    if (!status.ok()) {
      warnings_.push_back(CannotMeasure(what, status));
    }
  }

  absl::StatusOr<RangeChoices> RangesFor(absl::Span<const Batch> batches,
                                         bool observers) {
    if (!mapping_) {
      NS_ASSIGN_OR_RETURN(mapping_, TargetMapping(float_model_, options_));
    }
    return ChooseRanges(float_model_, *prepared_, *mapping_, batches,
                        {TargetOf(options_), observers, &cache_});
  }

  void Take(RangeChoices& choices) {
    if (choices.prepared) {
      chosen_ = *std::move(choices.prepared);
      prepared_ = &*chosen_;
      mapping_ = std::move(choices.mapping);
    }
  }

  // Gives layers of `best` other ranges where that helps.
  absl::Status ChooseByMeasure(bool observers, QuantizedModel& best) {
    NS_ASSIGN_OR_RETURN(RangeChoices choices, RangesFor(held_back_, observers));
    CountRun();
    if (choices.prepared) {
      NS_ASSIGN_OR_RETURN(QuantizedModel chosen,
                          Converted(*choices.prepared, corrections_));
      NS_ASSIGN_OR_RETURN(const bool helps, HelpsOutputs(best, chosen));
      if (helps) {
        best = std::move(chosen);
        Take(choices);
      } else {
        DropKept(kOutputsWorse, choices.tried);
      }
    }
    tried_.insert(tried_.end(), choices.tried.begin(), choices.tried.end());
    return absl::OkStatus();
  }

  absl::Status RoundWeights(QuantizedModel& best) {
    LayerCorrections rounded;
    NS_ASSIGN_OR_RETURN(const std::vector<Batch> sampled,
                        batches_.ReadEach(sampled_));
    NS_ASSIGN_OR_RETURN(
        rounded.weights,
        RoundLayers(*prepared_, sampled, options_.methods.rounding_steps,
                    options_.progress));
    const auto is_rounded = [&](const LayerQuantization& layer) {
      return rounded.weights.count(layer.name) != 0;
    };
    return KeepWhatHelps("adaptive rounding", LayerErrorKind::kByItself,
                         rounded, is_rounded, best);
  }

  absl::Status CorrectBiases(QuantizedModel& best) {
    const BiasCorrection correction = options_.methods.bias_correction;
    // Those of single layers are not the ground for those of all.
    const LayerCorrections others = corrections_;
    if (NeedsInputMeans(correction)) {
      NS_RETURN_IF_ERROR(CorrectEachBias(best));
    }
    return correction == BiasCorrection::kFast
               ? absl::OkStatus()
               : CorrectBiasesInOrder(others, best);
  }

  absl::Status CorrectEachBias(QuantizedModel& best) {
    LayerCorrections corrected;
    corrected.corrects_bias = [](const std::string&) { return true; };
    return KeepWhatHelps(
        kEachBias, LayerErrorKind::kByItself, corrected,
        [](const LayerQuantization& layer) { return layer.has_corrected_bias; },
        best);
  }

  // Corrects the biases of a model that has `others` besides.
  absl::Status CorrectBiasesInOrder(const LayerCorrections& others,
                                    QuantizedModel& best) {
    LayerCorrections corrected;
    NS_ASSIGN_OR_RETURN(
        corrected.bias_shifts,
        SequentialBiasShifts(*prepared_, others, batches_, sampled_, &cache_));
    const auto has_shift = [&](const LayerQuantization& layer) {
      return corrected.bias_shifts.count(layer.name) != 0;
    };
    // A layer also makes up for what the layers before it lose, which it does
    // not have by itself.
    NS_RETURN_IF_ERROR(KeepWhatHelps(
        "sequential bias correction", LayerErrorKind::kInModel, corrected,
        has_shift, best, IsBest(options_) ? kLeastGainDb : 0));
    for (TriedMethod& tried : tried_) {
      if (tried.method == kEachBias && tried.IsKept() &&
          corrections_.bias_shifts.count(tried.layer) != 0) {
        tried.reason = std::string(kOtherGainsMore);
      }
    }
    return absl::OkStatus();
  }

  // Makes `added` for the layers of `best` that it helps, if the outputs gain
  // `least_gain_db`.
  absl::Status KeepWhatHelps(
      absl::string_view method, LayerErrorKind kind,
      const LayerCorrections& added,
      const std::function<bool(const LayerQuantization& layer)>& has_it,
      QuantizedModel& best, double least_gain_db = 0) {
    NS_ASSIGN_OR_RETURN(const QuantizedModel all,
                        Converted(*prepared_, Joined(corrections_, added)));
    if (absl::c_none_of(all.report.layers, has_it)) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const auto without, ErrorsOf(best, kind));
    NS_ASSIGN_OR_RETURN(const auto with, ErrorsOf(all, kind));
    std::vector<TriedMethod> tried;
    std::set<std::string> kept;
    for (const LayerQuantization& layer : all.report.layers) {
      const auto before = without.find(layer.name);
      const auto after = with.find(layer.name);
      if (!has_it(layer) || before == without.end() || after == with.end()) {
        continue;
      }
      const bool helps = after->second > before->second;
      tried.push_back({layer.name, std::string(method), before->second,
                       after->second, helps ? "" : std::string(kNoGain)});
      if (helps) {
        kept.insert(layer.name);
      }
    }
    if (!kept.empty()) {
      const LayerCorrections corrections =
          Joined(corrections_, OnlyFor(kept, added));
      NS_ASSIGN_OR_RETURN(QuantizedModel chosen,
                          Converted(*prepared_, corrections));
      NS_ASSIGN_OR_RETURN(const bool helps,
                          HelpsOutputs(best, chosen, least_gain_db));
      if (helps) {
        best = std::move(chosen);
        corrections_ = corrections;
      } else {
        DropKept(least_gain_db > 0 ? kOutputsGainLittle : kOutputsWorse, tried);
      }
    }
    tried_.insert(tried_.end(), tried.begin(), tried.end());
    return absl::OkStatus();
  }

  absl::StatusOr<std::map<std::string, double>> ErrorsOf(
      const QuantizedModel& quantized, LayerErrorKind kind) {
    NS_ASSIGN_OR_RETURN(auto errors, LayerErrors(float_model_, quantized.model,
                                                 held_back_, kind));
    CountRun();
    return errors;
  }

  absl::StatusOr<double> OutputDb(const QuantizedModel& quantized) {
    NS_ASSIGN_OR_RETURN(const double worst,
                        target_error_.WorstDb(quantized.model, options_));
    CountRun();
    return worst;
  }

  // Whether the worst output of `chosen` has at least `least_gain_db` more than
  // that of `best`, which it is then to replace.
  absl::StatusOr<bool> HelpsOutputs(const QuantizedModel& best,
                                    const QuantizedModel& chosen,
                                    double least_gain_db = 0) {
    if (!best_db_) {
      NS_ASSIGN_OR_RETURN(best_db_, OutputDb(best));
    }
    NS_ASSIGN_OR_RETURN(const double chosen_db, OutputDb(chosen));
    const bool helps = chosen_db >= *best_db_ + least_gain_db;
    best_db_ = helps ? chosen_db : *best_db_;
    return helps;
  }

  void CountRun() {
    done_ += static_cast<int64_t>(held_back_.size());
    if (after_batch_) {
      after_batch_(done_);
    }
  }

  const ModelGraph& float_model_;
  // The model that is converted: the one that was given, or chosen_.
  const ModelGraph* prepared_;
  std::optional<ModelGraph> chosen_;
  // Of chosen_.
  std::optional<QConfigMapping> mapping_;
  // Those of the best model so far.
  LayerCorrections corrections_;
  const BatchReader& batches_;
  // The numbers of those that teach a method.
  const std::vector<int64_t> sampled_;
  const QuantizeOptions& options_;
  const std::vector<Batch> held_back_;
  TargetError target_error_{float_model_, held_back_};
  const AfterBatch& after_batch_;
  ConversionCache cache_;
  std::vector<TriedMethod> tried_;
  std::vector<std::string> warnings_;
  // The output error of the best model so far, once it is known.
  std::optional<double> best_db_;
  int64_t done_ = 0;
};

}  // namespace

absl::StatusOr<QuantizedModel> ConvertKeepingWhatHelps(
    const ModelGraph& float_model, const ModelGraph& prepared,
    const BatchReader& batches, const QuantizeOptions& options,
    const AfterBatch& after_batch) {
  if (!Corrects(options) && !Rounds(options) && !Chooses(options)) {
    return ConvertModel(prepared, options);
  }
  const ScopedEngine engine(EngineOf(options.backend));
  const BatchSplit split = SplitBatches(batches.size());
  NS_ASSIGN_OR_RETURN(std::vector<Batch> held_back,
                      batches.ReadEach(split.held_back));
  return Chooser(float_model, prepared, batches, split, options,
                 std::move(held_back), after_batch)
      .Run();
}

int64_t BatchesToMeasure(const QuantizeOptions& options,
                         const BatchReader& batches) {
  // All ways to choose ranges at once; the layers of two models.
  const int64_t ranges =
      Chooses(options) ? (options.methods.choose_observers ? 2 : 1) : 0;
  const int64_t corrections = (Rounds(options) ? 1 : 0) +
                              (Corrects(options) ? 1 : 0) +
                              (Corrects(options) && IsBest(options) ? 1 : 0);
  const int64_t tried = ranges + corrections;
  // Then the outputs, before the first of them those of the plain model.
  const int64_t runs = ranges + 2 * corrections + tried + (tried > 0 ? 1 : 0);
  return runs * HeldBackBatches(batches.size());
}

}  // namespace ns
