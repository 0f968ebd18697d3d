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
#include "absl/types/span.h"
#include "ir/status.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/calibrator.h"
#include "ns/quantization/layer_errors.h"
#include "ns/quantization/output_error.h"
#include "ns/quantization/quantized_engine.h"
#include "passes/quantization/prepared_model.h"

namespace ns {
namespace {

constexpr char kNoGain[] = "it gains nothing";
constexpr char kOutputsWorse[] = "the outputs of the model get worse";
// So few, as each is run several times: all runs together are to take no longer
// than calibration.
constexpr int64_t kBatchesForOne = 16;
constexpr int64_t kMostHeldBack = 8;
// Runs over the batches held back: the layers of two models, and the outputs of
// two.
constexpr int64_t kRuns = 4;

bool Corrects(const QuantizeOptions& options) {
  return options.bias_correction != BiasCorrection::kNone && !options.compat &&
         options.mode == QuantizeMode::kStatic;
}

class Chooser {
 public:
  Chooser(const ModelGraph& float_model, const ModelGraph& prepared,
          const QuantizeOptions& options, std::vector<Batch> held_back,
          const AfterBatch& after_batch)
      : float_model_(float_model),
        prepared_(prepared),
        options_(options),
        held_back_(std::move(held_back)),
        after_batch_(after_batch) {}

  // What cannot be measured is not kept, which a warning says.
  absl::StatusOr<QuantizedModel> Run() {
    NS_ASSIGN_OR_RETURN(QuantizedModel plain,
                        ConvertModel(prepared_, options_));
    absl::StatusOr<std::optional<QuantizedModel>> better = Improved(plain);
    if (!better.ok()) {
      plain.report.warnings.push_back(absl::StrCat(
          "biases are not corrected, as it cannot be measured what helps: ",
          better.status().message()));
      return plain;
    }
    QuantizedModel& chosen = *better ? **better : plain;
    chosen.report.tried = std::move(tried_);
    return std::move(chosen);
  }

 private:
  // The model with the biases corrected that help; absent where none does.
  absl::StatusOr<std::optional<QuantizedModel>> Improved(
      const QuantizedModel& plain) {
    NS_ASSIGN_OR_RETURN(
        const QuantizedModel corrected,
        ConvertModel(prepared_, options_, [](const auto&) { return true; }));
    if (absl::c_none_of(corrected.report.layers,
                        [](const LayerQuantization& layer) {
                          return layer.has_corrected_bias;
                        })) {
      return std::nullopt;
    }
    NS_RETURN_IF_ERROR(TryOnLayers(plain, corrected));
    std::set<std::string> kept;
    for (const TriedMethod& tried : tried_) {
      if (tried.IsKept()) {
        kept.insert(tried.layer);
      }
    }
    if (kept.empty()) {
      return std::nullopt;
    }
    NS_ASSIGN_OR_RETURN(
        QuantizedModel chosen,
        ConvertModel(prepared_, options_, [&](const std::string& layer) {
          return kept.count(layer) != 0;
        }));
    NS_ASSIGN_OR_RETURN(const bool helps, HelpsOutputs(plain, chosen));
    if (helps) {
      return chosen;
    }
    for (TriedMethod& tried : tried_) {
      tried.reason = tried.IsKept() ? kOutputsWorse : tried.reason;
    }
    return std::nullopt;
  }

  absl::Status TryOnLayers(const QuantizedModel& plain,
                           const QuantizedModel& corrected) {
    NS_ASSIGN_OR_RETURN(const auto without, ErrorsOf(plain));
    NS_ASSIGN_OR_RETURN(const auto with, ErrorsOf(corrected));
    for (const LayerQuantization& layer : corrected.report.layers) {
      const auto before = without.find(layer.name);
      const auto after = with.find(layer.name);
      if (layer.has_corrected_bias && before != without.end() &&
          after != with.end()) {
        tried_.push_back({layer.name, "bias correction", before->second,
                          after->second,
                          after->second > before->second ? "" : kNoGain});
      }
    }
    return absl::OkStatus();
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
    NS_ASSIGN_OR_RETURN(
        const OutputErrors errors,
        MeasureOutputErrors(float_model_, quantized.model,
                            BatchReader::FromBatches(held_back_)));
    CountRun();
    double lowest = std::numeric_limits<double>::infinity();
    for (const auto& output : errors.outputs) {
      lowest = std::min(lowest, output.sqnr_db);
    }
    return lowest;
  }

  absl::StatusOr<bool> HelpsOutputs(const QuantizedModel& plain,
                                    const QuantizedModel& chosen) {
    NS_ASSIGN_OR_RETURN(const double without, OutputError(plain));
    NS_ASSIGN_OR_RETURN(const double with, OutputError(chosen));
    return with >= without;
  }

  void CountRun() {
    done_ += static_cast<int64_t>(held_back_.size());
    if (after_batch_) {
      after_batch_(done_);
    }
  }

  const ModelGraph& float_model_;
  const ModelGraph& prepared_;
  const QuantizeOptions& options_;
  const std::vector<Batch> held_back_;
  const AfterBatch& after_batch_;
  std::vector<TriedMethod> tried_;
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
  const int64_t count = HeldBackBatches(batches.size());
  if (!Corrects(options) || count == 0) {
    NS_ASSIGN_OR_RETURN(QuantizedModel quantized,
                        ConvertModel(prepared, options));
    if (Corrects(options)) {
      quantized.report.warnings.emplace_back(
          "biases are not corrected: there is one batch, and none is left to "
          "see whether it helps; give more");
    }
    return quantized;
  }
  const ScopedEngine engine(EngineOf(options.backend));
  std::vector<Batch> held_back;
  for (int64_t i = batches.size() - count; i < batches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(Batch batch, batches.Read(i));
    held_back.push_back(std::move(batch));
  }
  return Chooser(float_model, prepared, options, std::move(held_back),
                 after_batch)
      .Run();
}

int64_t BatchesToMeasure(const QuantizeOptions& options,
                         const BatchReader& batches) {
  return Corrects(options) ? kRuns * HeldBackBatches(batches.size()) : 0;
}

}  // namespace ns
