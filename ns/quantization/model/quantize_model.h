// Makes quantized models of float ones: observe, calibrate, convert.
#ifndef NS_QUANTIZATION_MODEL_QUANTIZE_MODEL_H_
#define NS_QUANTIZATION_MODEL_QUANTIZE_MODEL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/batches/batches.h"
#include "ns/quantization/model/quantize_options.h"
#include "passes/quantization/convert/conversion_cache.h"
#include "passes/quantization/convert/layer_corrections.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

struct QuantizedModel {
  ModelGraph model;
  QuantizationReport report;
  // Says how each layer is quantized, where that is not what PrepareModel was
  // told: see quantize_accurately.h.
  std::optional<QConfigMapping> mapping = std::nullopt;
};

// Copies `model`, folds its batch norms and puts observers into the copy.
// Layers with a dynamic or weight-only qconfig are quantized here already; all
// else computes what `model` does, up to the rounding of folded norms and of
// values that a qconfig has fake quantizations for. The copy can be saved with
// all that ConvertModel needs but the options, and runs where libns_ops.so is
// loaded. Load it as it is (ModelGraphOptions::as_it_is): freezing removes
// observers. What Clone makes of it has the same observers, not copies. Errors:
// a model that is prepared already or has quantized values (CheckIsFloat); a
// mapping that is not valid.
absl::StatusOr<ModelGraph> PrepareModel(const ModelGraph& model,
                                        const QuantizeOptions& options);

// Lets the observers of a prepared model see all batches, as Calibrator does
// one by one. Error: no batches; a batch that the model does not take, named.
absl::Status Calibrate(
    const ModelGraph& prepared, const std::vector<Batch>& batches,
    const std::function<void(int64_t done, int64_t total)>& progress = nullptr);

// Prepares `model` and lets `calibrate` run the result on the batches. If that
// shows concatenations whose inputs should not share one range
// (FindUnbalancedParts, on `batches`), adds them to `options.parts`, prepares
// `model` anew, and calls `calibrate` once more. So the observers of the result
// have seen all batches once. Without batches, `calibrate` is not called.
// Errors: those of PrepareModel, of `calibrate` and of FindUnbalancedParts.
absl::StatusOr<ModelGraph> PrepareCalibrated(
    const ModelGraph& model, const BatchReader& batches,
    QuantizeOptions& options,
    const std::function<absl::Status(const ModelGraph& prepared)>& calibrate);

// Adds what the observers of `other` have seen to those of `prepared`. Error:
// models that were not prepared alike.
absl::Status MergePrepared(ModelGraph& prepared, const ModelGraph& other);

// Quantizes a prepared model with what its observers have seen. The result
// needs LibTorch's ops only. Of `options` it reads `backend`, `keep`, `compat`
// and `reference`, which are those of PrepareModel. `cache` is what conversions
// of the same model share; null for one that stands alone. Errors: a model that
// is not prepared, or was by another version; one that has layers to calibrate,
// and no observer that has seen a value.
absl::StatusOr<QuantizedModel> ConvertModel(
    const ModelGraph& prepared, const QuantizeOptions& options,
    const LayerCorrections& corrections = {}, ConversionCache* cache = nullptr);

// Prepares, calibrates in the static mode, and converts. Where MayRefuseInputs,
// runs on the batches find the layers that are refused, and without batches,
// there is a warning (RefusedInputs and WarnOfUnseenRanks of refused_inputs.h):
// QuantizeOptions::refused is then not read. Errors: those of the functions
// above and of RefusedInputs.
absl::StatusOr<QuantizedModel> QuantizeModel(const ModelGraph& model,
                                             const std::vector<Batch>& batches,
                                             const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_QUANTIZE_MODEL_H_
