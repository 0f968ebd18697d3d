#include "ns/quantization/quantize_once.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/files/training_mode.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/quantization/accurate/quantize_accurately.h"
#include "ns/quantization/accurate/rescale_layers.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/refused_inputs.h"
#include "ns/quantization/model/saturation_warning.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/kernels/isa.h"

namespace ns {
namespace {

// Puts the name of the file in front of an error of its model.
template <typename Result>
Result OfModel(absl::string_view file, Result result) {
  return file.empty() ? std::move(result) : Annotated(file, std::move(result));
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
    if (const auto warning = SaturationWarning(options_, kernels::HasVnni())) {
      warnings.push_back(*warning);
    }
    if (const auto warning = TrainingModeWarning(file)) {
      warnings.push_back(*warning);
    }
    NS_RETURN_IF_ERROR(MeasureOutputs(float_model, result));
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
                          {},
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

}  // namespace

absl::StatusOr<QuantizeResult> QuantizeOnce(const ModelGraph& float_model,
                                            const BatchReader& batches,
                                            const QuantizeOptions& options) {
  return Quantizer(batches, options).Run(float_model);
}

absl::StatusOr<QuantizeResult> QuantizePreparedOnce(
    ModelGraph prepared, const BatchReader& batches,
    const QuantizeOptions& options) {
  return Quantizer(batches, options).RunOnPrepared(std::move(prepared));
}

}  // namespace ns
