#include "ns/quantization/quantize_accurately.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/status.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/calibrator.h"
#include "ns/quantization/choose_ranges.h"
#include "ns/quantization/copy_for_target.h"
#include "ns/quantization/layer_errors.h"
#include "ns/quantization/output_error.h"
#include "ns/quantization/quantized_engine.h"
#include "ns/quantization/target_mapping.h"
#include "passes/quantization/prepared_model.h"

namespace ns {
namespace {

constexpr char kNoGain[] = "it gains nothing";
constexpr char kOutputsWorse[] = "the outputs of the model get worse";
// So few, as each is run several times: all runs together are to take no longer
// than calibration.
constexpr int64_t kBatchesForOne = 16;
constexpr int64_t kMostHeldBack = 8;
// Runs over the batches held back. Of ranges: all trials at once, and the
// outputs of two models; of biases: the layers of two models, and the outputs.
constexpr int64_t kRunsForRanges = 3;
constexpr int64_t kRunsForBiases = 4;

bool Corrects(const QuantizeOptions& options) {
  return options.bias_correction != BiasCorrection::kNone && !options.compat &&
         options.mode == QuantizeMode::kStatic;
}

bool Chooses(const QuantizeOptions& options) {
  return options.choose_ranges && !options.mapping && !options.compat &&
         options.mode == QuantizeMode::kStatic;
}

class Chooser {
 public:
  Chooser(const ModelGraph& float_model, const ModelGraph& prepared,
          const QuantizeOptions& options, std::vector<Batch> held_back,
          const AfterBatch& after_batch)
      : float_model_(float_model),
        prepared_(&prepared),
        options_(options),
        held_back_(std::move(held_back)),
        after_batch_(after_batch) {}

  // What cannot be measured is not kept, which a warning says.
  absl::StatusOr<QuantizedModel> Run() {
    RangeChoices choices;
    if (Chooses(options_)) {
      NS_ASSIGN_OR_RETURN(choices, RangesFor(/*batches=*/{}));
    }
    Take(choices);
    NS_ASSIGN_OR_RETURN(QuantizedModel best,
                        ConvertModel(*prepared_, options_));
    std::vector<std::string> warnings;
    if (Chooses(options_) && !held_back_.empty()) {
      const absl::Status status = ChooseByMeasure(best);
      if (!status.ok()) {
        warnings.push_back(NotMeasured("ranges are not chosen", status));
      }
    }
    if (Corrects(options_) && held_back_.empty()) {
      warnings.emplace_back(
          "biases are not corrected: there is one batch, and none is left to "
          "see whether it helps; give more");
    } else if (Corrects(options_)) {
      const absl::Status status = CorrectBiases(best);
      if (!status.ok()) {
        warnings.push_back(NotMeasured("biases are not corrected", status));
      }
    }
    best.report.tried = std::move(tried_);
    best.report.warnings.insert(best.report.warnings.end(), warnings.begin(),
                                warnings.end());
    best.mapping = std::move(mapping_);
    return best;
  }

 private:
  static std::string NotMeasured(absl::string_view what,
                                 const absl::Status& status) {
    return absl::StrCat(
        what, ", as it cannot be measured what helps: ", status.message());
  }

  absl::StatusOr<RangeChoices> RangesFor(absl::Span<const Batch> batches) {
    return ChooseRanges(
        float_model_, *prepared_,
        mapping_.value_or(TargetMapping(float_model_, options_)), batches,
        {TargetOf(options_), options_.choose_observers});
  }

  void Take(RangeChoices& choices) {
    if (choices.prepared) {
      chosen_ = *std::move(choices.prepared);
      prepared_ = &*chosen_;
      mapping_ = std::move(choices.mapping);
    }
  }

  // Gives layers of `best` other ranges where that helps.
  absl::Status ChooseByMeasure(QuantizedModel& best) {
    NS_ASSIGN_OR_RETURN(RangeChoices choices, RangesFor(held_back_));
    CountRun();
    if (choices.prepared) {
      NS_ASSIGN_OR_RETURN(QuantizedModel chosen,
                          ConvertModel(*choices.prepared, options_));
      NS_ASSIGN_OR_RETURN(const bool helps, HelpsOutputs(best, chosen));
      if (helps) {
        best = std::move(chosen);
        Take(choices);
      } else {
        DropKept(choices.tried);
      }
    }
    tried_ = std::move(choices.tried);
    return absl::OkStatus();
  }

  // Corrects the biases of `best` that it helps to correct.
  absl::Status CorrectBiases(QuantizedModel& best) {
    NS_ASSIGN_OR_RETURN(
        const QuantizedModel corrected,
        ConvertModel(*prepared_, options_, [](const auto&) { return true; }));
    if (absl::c_none_of(corrected.report.layers,
                        [](const LayerQuantization& layer) {
                          return layer.has_corrected_bias;
                        })) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(std::vector<TriedMethod> tried,
                        TryOnLayers(best, corrected));
    std::set<std::string> kept;
    for (const TriedMethod& method : tried) {
      if (method.IsKept()) {
        kept.insert(method.layer);
      }
    }
    if (!kept.empty()) {
      NS_ASSIGN_OR_RETURN(
          QuantizedModel chosen,
          ConvertModel(*prepared_, options_, [&](const std::string& layer) {
            return kept.count(layer) != 0;
          }));
      NS_ASSIGN_OR_RETURN(const bool helps, HelpsOutputs(best, chosen));
      if (helps) {
        best = std::move(chosen);
      } else {
        DropKept(tried);
      }
    }
    tried_.insert(tried_.end(), tried.begin(), tried.end());
    return absl::OkStatus();
  }

  static void DropKept(std::vector<TriedMethod>& tried) {
    for (TriedMethod& method : tried) {
      method.reason = method.IsKept() ? kOutputsWorse : method.reason;
    }
  }

  absl::StatusOr<std::vector<TriedMethod>> TryOnLayers(
      const QuantizedModel& plain, const QuantizedModel& corrected) {
    NS_ASSIGN_OR_RETURN(const auto without, ErrorsOf(plain));
    NS_ASSIGN_OR_RETURN(const auto with, ErrorsOf(corrected));
    std::vector<TriedMethod> tried;
    for (const LayerQuantization& layer : corrected.report.layers) {
      const auto before = without.find(layer.name);
      const auto after = with.find(layer.name);
      if (layer.has_corrected_bias && before != without.end() &&
          after != with.end()) {
        tried.push_back({layer.name, "bias correction", before->second,
                         after->second,
                         after->second > before->second ? "" : kNoGain});
      }
    }
    return tried;
  }

  absl::StatusOr<std::map<std::string, double>> ErrorsOf(
      const QuantizedModel& quantized) {
    NS_ASSIGN_OR_RETURN(auto errors,
                        LayerErrors(float_model_, quantized.model, held_back_));
    CountRun();
    return errors;
  }

  // The lowest SQNR of all outputs.
  absl::StatusOr<double> OutputError(const QuantizedModel& quantized) {
    NS_ASSIGN_OR_RETURN(const ModelGraph copy,
                        CopyForTarget(quantized.model, options_));
    NS_ASSIGN_OR_RETURN(
        const OutputErrors errors,
        MeasureOutputErrors(float_model_, copy,
                            BatchReader::FromBatches(held_back_)));
    CountRun();
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto& output : errors.outputs) {
      lowest = std::min(lowest, output.sqnr_db);
    }
    return lowest;
  }

  // Whether the outputs of `chosen` are no worse than those of `best`, which it
  // is then to replace.
  absl::StatusOr<bool> HelpsOutputs(const QuantizedModel& best,
                                    const QuantizedModel& chosen) {
    if (!best_db_) {
      NS_ASSIGN_OR_RETURN(best_db_, OutputError(best));
    }
    NS_ASSIGN_OR_RETURN(const double chosen_db, OutputError(chosen));
    const bool helps = chosen_db >= *best_db_;
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
  const QuantizeOptions& options_;
  const std::vector<Batch> held_back_;
  const AfterBatch& after_batch_;
  std::vector<TriedMethod> tried_;
  // The output error of the best model so far, once it is known.
  std::optional<double> best_db_;
  int64_t done_ = 0;
};

void SetMeansEnabled(const ModelGraph& prepared, bool enabled) {
  for (const auto& [name, means] : AttachedMeans(prepared.module())) {
    means->SetEnabled(enabled);
  }
}

}  // namespace

int64_t HeldBackBatches(int64_t batches) {
  return batches < 2 ? 0
                     : std::min(kMostHeldBack,
                                std::max<int64_t>(1, batches / kBatchesForOne));
}

absl::Status CalibrateHoldingBack(const ModelGraph& prepared,
                                  const BatchReader& batches,
                                  const AfterBatch& after_batch) {
  NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
  const std::vector<int64_t> all = FirstBatches(batches.size());
  const auto first =
      static_cast<size_t>(batches.size() - HeldBackBatches(batches.size()));
  const auto run = [&](size_t begin, size_t end) {
    return calibrator.Run(batches,
                          absl::MakeConstSpan(all).subspan(begin, end - begin),
                          [&](size_t done) {
                            if (after_batch) {
                              after_batch(static_cast<int64_t>(begin + done));
                            }
                          });
  };
  NS_RETURN_IF_ERROR(run(0, first));
  SetMeansEnabled(prepared, false);
  const absl::Status status = run(first, all.size());
  SetMeansEnabled(prepared, true);
  return status;
}

absl::StatusOr<QuantizedModel> ConvertKeepingWhatHelps(
    const ModelGraph& float_model, const ModelGraph& prepared,
    const BatchReader& batches, const QuantizeOptions& options,
    const AfterBatch& after_batch) {
  if (!Corrects(options) && !Chooses(options)) {
    return ConvertModel(prepared, options);
  }
  const ScopedEngine engine(EngineOf(options.backend));
  std::vector<Batch> held_back;
  for (int64_t i = batches.size() - HeldBackBatches(batches.size());
       i < batches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(Batch batch, batches.Read(i));
    held_back.push_back(std::move(batch));
  }
  return Chooser(float_model, prepared, options, std::move(held_back),
                 after_batch)
      .Run();
}

int64_t BatchesToMeasure(const QuantizeOptions& options,
                         const BatchReader& batches) {
  const int64_t runs = (Chooses(options) ? kRunsForRanges : 0) +
                       (Corrects(options) ? kRunsForBiases : 0);
  return runs * HeldBackBatches(batches.size());
}

}  // namespace ns
