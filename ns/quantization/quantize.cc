#include "ns/quantization/quantize.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/files/training_mode.h"
#include "ns/findings/lost_channels.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/accurate/quantize_accurately.h"
#include "ns/quantization/accurate/rescale_layers.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/layer_errors.h"
#include "ns/quantization/model/noise_warning.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/quantized_engine.h"
#include "ns/quantization/model/refused_inputs.h"
#include "ns/quantization/model/saturation_warning.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/kernels/isa.h"

namespace ns {
namespace {

bool HasVnni() {
  return kernels::IsSupported(kernels::Isa::kAvxVnni) ||
         kernels::IsSupported(kernels::Isa::kAvx512Vnni);
}

// Puts the name of the file in front of an error of its model.
template <typename Result>
Result OfModel(absl::string_view file, Result result) {
  return file.empty() ? std::move(result) : Annotated(file, std::move(result));
}

// Lost layers are looked for on so many batches.
constexpr int64_t kMostToFindLost = 8;

// Whether a few channels of `output` are so large that many others are lost.
bool IsLost(const OutputError& output) {
  return output.channels && LosesChannels(output.sqnr_db, *output.channels);
}

// Returns how many channels have less than 3 dB in outputs that lose most.
int64_t CountLost(const std::vector<OutputError>& outputs) {
  int64_t lost = 0;
  for (const OutputError& output : outputs) {
    lost += IsLost(output) ? output.channels->below_3db : 0;
  }
  return lost;
}

std::string LostWarning(const std::vector<OutputError>& outputs) {
  const OutputError& first = *absl::c_find_if(outputs, IsLost);
  return absl::StrCat(
      first.name, ": ", first.channels->below_3db, " of ",
      first.channels->channels,
      " channels have less than 3 dB, in a range that a few others need; "
      "ns compare shows where, and ns explain outlier-channel what helps");
}

// Quantizes one model, once.
class Quantizer {
 public:
  Quantizer(const BatchReader& batches, QuantizeOptions options)
      : batches_(batches), options_(std::move(options)) {}

  absl::StatusOr<QuantizeResult> Run(const ModelGraph& float_model) {
    const std::string& file = float_model.source();
    batches_to_try_ = MayRefuseInputs(options_) ? batches_.size() : 0;
    NS_ASSIGN_OR_RETURN(RescaledModel source,
                        OfModel(file, Rescaled(float_model)));
    NS_ASSIGN_OR_RETURN(const QConfigMapping mapping,
                        OfModel(file, TargetMapping(source.model, options_)));
    NS_RETURN_IF_ERROR(FindRefusedInputs(source.model));
    NS_ASSIGN_OR_RETURN(ModelGraph prepared, Prepared(source.model, file));
    NS_ASSIGN_OR_RETURN(
        QuantizeResult result,
        Converted(&source.model, std::move(prepared), mapping, file));
    std::vector<TriedMethod>& tried = result.report.tried;
    tried.insert(tried.begin(), source.tried.begin(), source.tried.end());
    std::vector<std::string>& warnings = result.report.warnings;
    warnings.insert(warnings.begin(), source.warnings.begin(),
                    source.warnings.end());
    WarnOfUnseen(result);
    if (const auto warning = SaturationWarning(options_, HasVnni())) {
      warnings.push_back(*warning);
    }
    if (const auto warning = TrainingModeWarning(file)) {
      warnings.push_back(*warning);
    }
    NS_RETURN_IF_ERROR(MeasureOutputs(float_model, result));
    if (const std::string noisy = NoisyOutput(result.outputs); !noisy.empty()) {
      options_.mapping = result.mapping;
      warnings.push_back(options_.reference ? NoiseWarning(noisy)
                                            : NoiseWarning(noisy, source.model,
                                                           result.quantized,
                                                           batches_, options_));
    }
    if (HasRescaling(options_)) {
      result.rescaled = std::move(source.model);
    }
    return result;
  }

  absl::StatusOr<QuantizeResult> RunOnPrepared(ModelGraph prepared) {
    options_.methods = {};
    NS_RETURN_IF_ERROR(CalibrateOnBatches(prepared));
    const std::string file = prepared.source();
    NS_ASSIGN_OR_RETURN(
        QuantizeResult result,
        Converted(nullptr, std::move(prepared),
                  options_.mapping.value_or(DefaultMapping(options_)), file));
    WarnOfUnseen(result);
    NS_RETURN_IF_ERROR(MeasureOutputs(result.prepared, result));
    if (const std::string noisy = NoisyOutput(result.outputs); !noisy.empty()) {
      result.report.warnings.push_back(NoiseWarning(noisy));
    }
    return result;
  }

 private:
  // Returns `model` with factors moved between its layers, if that is asked
  // for.
  absl::StatusOr<RescaledModel> Rescaled(const ModelGraph& model) const {
    if (HasRescaling(options_)) {
      return RescaleWhatHelps(model, batches_, options_);
    }
    NS_ASSIGN_OR_RETURN(ModelGraph copy, model.Clone());
    return RescaledModel{std::move(copy), {}, {}};
  }

  absl::Status FindRefusedInputs(const ModelGraph& model) {
    options_.refused.clear();
    if (batches_to_try_ == 0) {
      return absl::OkStatus();
    }
    const AfterBatch progress = ProgressAfter(0);
    NS_ASSIGN_OR_RETURN(options_.refused,
                        RefusedInputs(model, batches_, [&](size_t done) {
                          progress(static_cast<int64_t>(done));
                        }));
    return absl::OkStatus();
  }

  // Returns `model` with observers that have seen all batches.
  absl::StatusOr<ModelGraph> Prepared(const ModelGraph& model,
                                      absl::string_view file) {
    if (!Calibrates()) {
      return OfModel(file, PrepareModel(model, options_));
    }
    absl::Status calibrated;
    absl::StatusOr<ModelGraph> prepared = PrepareCalibrated(
        model, batches_, options_, [&](const ModelGraph& observed) {
          calibrated = CalibrateOnBatches(observed);
          return calibrated;
        });
    // Errors of calibration name the batch, and need no name of a model.
    NS_RETURN_IF_ERROR(calibrated);
    return OfModel(file, std::move(prepared));
  }

  // Reads one batch at a time, so that there may be any number of them.
  absl::Status CalibrateOnBatches(const ModelGraph& prepared) {
    return Calibrates() ? CalibrateHoldingBack(prepared, batches_,
                                               ProgressAfter(batches_to_try_))
                        : absl::OkStatus();
  }

  // Converts `prepared`, which was made of `source` by `mapping`. Without a
  // source, it stands in: it computes the same.
  absl::StatusOr<QuantizeResult> Converted(const ModelGraph* source,
                                           ModelGraph prepared,
                                           const QConfigMapping& mapping,
                                           absl::string_view file) {
    NS_ASSIGN_OR_RETURN(
        QuantizedModel quantized,
        OfModel(file,
                ConvertKeepingWhatHelps(source != nullptr ? *source : prepared,
                                        prepared, batches_, options_,
                                        ProgressAfter(BatchesToPrepare()))));
    return QuantizeResult{std::move(quantized.model),
                          std::move(prepared),
                          std::nullopt,
                          quantized.mapping.value_or(mapping),
                          std::move(quantized.report),
                          {}};
  }

  void WarnOfUnseen(QuantizeResult& result) const {
    if (MayRefuseInputs(options_) && batches_.size() == 0) {
      WarnOfUnseenRanks(result.quantized, result.report);
    }
  }

  absl::Status MeasureOutputs(const ModelGraph& float_model,
                              QuantizeResult& result) const {
    if (batches_.size() == 0) {
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const ModelGraph copy,
                        CopyForTarget(result.quantized, options_));
    const AfterBatch progress = ProgressAfter(
        BatchesToPrepare() + BatchesToMeasure(options_, batches_));
    NS_ASSIGN_OR_RETURN(
        OutputErrors errors,
        MeasureOutputErrors(float_model, copy, batches_,
                            [&](int64_t done, int64_t) { progress(done); }));
    result.outputs = std::move(errors.outputs);
    std::vector<std::string>& warnings = result.report.warnings;
    warnings.insert(warnings.end(), errors.warnings.begin(),
                    errors.warnings.end());
    return absl::OkStatus();
  }

  bool Calibrates() const { return options_.mode == QuantizeMode::kStatic; }

  // How many batches run before the model is converted.
  int64_t BatchesToPrepare() const {
    return batches_to_try_ + (Calibrates() ? batches_.size() : 0);
  }

  // Returns what reports that `before` batches and those of the call are done,
  // of all that run: each to prepare and to measure outputs, and some to see
  // what helps.
  AfterBatch ProgressAfter(int64_t before) const {
    return [this, before](int64_t done) {
      if (options_.progress) {
        options_.progress(before + done,
                          BatchesToPrepare() + batches_.size() +
                              BatchesToMeasure(options_, batches_));
      }
    };
  }

  const BatchReader& batches_;
  QuantizeOptions options_;
  // How many batches run to find what is refused.
  int64_t batches_to_try_ = 0;
};

// Quantizes `float_model` with the layers in float in whose range `quantized`,
// which was made of it, loses many channels; absent without such layers.
absl::StatusOr<std::optional<QuantizeResult>> WithoutLostLayers(
    const ModelGraph& float_model, const ModelGraph& quantized,
    const BatchReader& batches, QuantizeOptions options) {
  NS_ASSIGN_OR_RETURN(
      const std::vector<Batch> last,
      batches.ReadRange(std::max<int64_t>(0, batches.size() - kMostToFindLost),
                        batches.size()));
  NS_ASSIGN_OR_RETURN(const auto lost,
                      LostLayers(float_model, quantized, last));
  if (lost.empty()) {
    return std::nullopt;
  }
  for (const auto& [name, channels] : lost) {
    options.keep.push_back(name);
  }
  NS_ASSIGN_OR_RETURN(QuantizeResult result,
                      Quantizer(batches, options).Run(float_model));
  for (FloatLayer& layer : result.report.stayed_float) {
    const auto found = lost.find(layer.name);
    if (found != lost.end()) {
      layer.reason = absl::StrCat(
          found->second.below_3db, " of its ", found->second.channels,
          " channels would be lost in the range of the others");
    }
  }
  return result;
}

// Quantizes `float_model` anew where outputs of `result` lose many channels,
// and warns of what is lost still.
absl::Status ProtectChannels(const ModelGraph& float_model,
                             const BatchReader& batches,
                             const QuantizeOptions& options,
                             QuantizeResult& result) {
  if (CountLost(result.outputs) == 0) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(
      std::optional<QuantizeResult> better,
      WithoutLostLayers(float_model, result.quantized, batches, options));
  if (better && CountLost(better->outputs) < CountLost(result.outputs)) {
    result = *std::move(better);
  }
  if (CountLost(result.outputs) > 0) {
    result.report.warnings.push_back(LostWarning(result.outputs));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<QuantizeResult> Quantize(const ModelGraph& float_model,
                                        const BatchReader& batches,
                                        const QuantizeOptions& options) {
  const ScopedEngine engine(EngineOf(options.backend));
  NS_ASSIGN_OR_RETURN(QuantizeResult result,
                      Quantizer(batches, options).Run(float_model));
  if (options.mode == QuantizeMode::kStatic && !options.compat &&
      !options.allow_lost_channels) {
    NS_RETURN_IF_ERROR(ProtectChannels(float_model, batches, options, result));
  }
  return result;
}

absl::StatusOr<QuantizeResult> QuantizePrepared(
    ModelGraph prepared, const BatchReader& batches,
    const QuantizeOptions& options) {
  const ScopedEngine engine(EngineOf(options.backend));
  return Quantizer(batches, options).RunOnPrepared(std::move(prepared));
}

}  // namespace ns
