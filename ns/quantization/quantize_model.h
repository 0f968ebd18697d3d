// Makes quantized models of float ones: observe, calibrate, convert.
#ifndef NS_QUANTIZATION_QUANTIZE_MODEL_H_
#define NS_QUANTIZATION_QUANTIZE_MODEL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/batches/batches.h"
#include "passes/quantization/default_qconfigs.h"
#include "passes/quantization/qconfig_mapping.h"
#include "passes/quantization/quantization_report.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {

enum class QuantizeMode {
  kStatic,      // activations by what calibration observes
  kDynamic,     // activations by the range that each has at run time
  kWeightOnly,  // activations in float: embeddings
};

struct QuantizeOptions {
  QuantizeMode mode = QuantizeMode::kStatic;
  // Whose default qconfigs are used, and for which engine weights are packed.
  Backend backend = Backend::kFbgemm;
  // Says how each layer is quantized; absent for DefaultMapping.
  std::optional<QConfigMapping> mapping;
  // What observes activations in DefaultMapping.
  ObserverKind observer = ObserverKind::kMse;
  // Layers that stay in float: names or globs of them ("layer1.*"), ops
  // ("aten::linear"), families ("linear") or types of modules ("Linear").
  std::vector<std::string> keep;
  // PyTorch 1.13's results to the bit: those of prepare_fx and convert_fx with
  // get_default_qconfig_mapping(backend). `observer` is then not used.
  bool compat = false;
  // Whether the result is the reference quantized graph, with quantize and
  // dequantize around float ops.
  bool reference = false;
  // Called after each calibration batch.
  std::function<void(int64_t done, int64_t total)> progress;
};

struct QuantizedModel {
  ModelGraph model;
  QuantizationReport report;
};

// The mapping that is used where QuantizeOptions::mapping is absent.
QConfigMapping DefaultMapping(const QuantizeOptions& options);

// Copies `model`, folds its batch norms and puts observers into the copy. It
// computes what `model` does, up to the rounding of folded norms and of values
// that a qconfig has fake quantizations for. It can be saved with all that
// ConvertModel needs but the options, and runs where libns_ops.so is loaded.
// Load it as it is (ModelGraphOptions::as_it_is): freezing removes observers.
// What Clone makes of it has the same observers, not copies. Errors: a model
// that is quantized or prepared already; a mapping that is not valid.
absl::StatusOr<ModelGraph> PrepareModel(const ModelGraph& model,
                                        const QuantizeOptions& options);

// Runs a prepared model on all batches. Error: no batches; a batch that the
// model does not take, named.
absl::Status Calibrate(
    ModelGraph& prepared, const std::vector<Batch>& batches,
    const std::function<void(int64_t done, int64_t total)>& progress = nullptr);

// Adds what the observers of `other` have seen to those of `prepared`. Error:
// models that were not prepared alike.
absl::Status MergePrepared(ModelGraph& prepared, const ModelGraph& other);

// Quantizes a prepared model with what its observers have seen. The result
// needs LibTorch's ops only. Errors: a model that is not prepared, or was by
// another version; one of which no observer has seen a value.
absl::StatusOr<QuantizedModel> ConvertModel(const ModelGraph& prepared,
                                            const QuantizeOptions& options);

// Prepares, calibrates in the static mode, and converts.
absl::StatusOr<QuantizedModel> QuantizeModel(const ModelGraph& model,
                                             const std::vector<Batch>& batches,
                                             const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_QUANTIZE_MODEL_H_
