// What a caller may say of how a model is quantized.
#ifndef NS_QUANTIZATION_MODEL_QUANTIZE_OPTIONS_H_
#define NS_QUANTIZATION_MODEL_QUANTIZE_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/quantization/observe/unbalanced_parts.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "passes/quantization/qconfig/quantization_target.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {

enum class QuantizeMode {
  kStatic,      // activations by what calibration observes
  kDynamic,     // activations by the range that each has at run time
  kWeightOnly,  // activations in float: embeddings
};

// Whether the biases of layers make up for what quantizing their weights shifts
// (passes/quantization/layers/bias_correction.h).
enum class BiasCorrection {
  kNone,
  kFast,        // by the means of each layer's input in the float model
  kSequential,  // by those of its output, layer by layer (sequential_bias.h)
  kBest,  // kFast, and then kSequential in the layers where that is better
};

// Whether the means of the inputs of layers are gathered for `correction`.
bool NeedsInputMeans(BiasCorrection correction);

// Methods that make the quantized model lose less. Each is kept where it helps
// on batches that are held back (held_back_batches.h), and takes time. Quantize
// (quantize.h) uses all; TrainQuantizedModel all but `equalize` and `smooth`;
// QuantizeModel none. They are for the mode kStatic, and are ignored in others
// and with QuantizeOptions::compat or reference.
struct QuantizeMethods {
  BiasCorrection bias_correction = BiasCorrection::kNone;
  // Whether the bits of activations and weights of single layers are chosen by
  // what they cost (choose_ranges.h), and with `choose_observers` also the
  // ranges, among those of several observers. Ignored with
  // QuantizeOptions::mapping.
  bool choose_ranges = false;
  bool choose_observers = false;
  // Whether QuantizeOptions::headroom is chosen by what the largest batch loses
  // without it (TryHeadroom in ns/quantization/try_headroom.h). Ignored with
  // QuantizeOptions::mapping.
  bool choose_headroom = false;
  // Whether factors move between layers before the model is observed
  // (rescale_layers.h).
  bool equalize = false;
  bool smooth = false;
  // How many steps adaptive rounding takes for the weight of each layer
  // (adaptive_rounding.h); 0 rounds to the nearest.
  int64_t rounding_steps = 0;
};

// Returns the methods that `ns quantize` uses unless its flags say otherwise:
// bias correction (kBest), and the choice of bits, ranges and headroom.
QuantizeMethods DefaultMethods();

struct QuantizeOptions {
  QuantizeMode mode = QuantizeMode::kStatic;
  // Whose default qconfigs are used, and for which engine weights are packed.
  Backend backend = Backend::kFbgemm;
  // Where the model will run: TargetOf has the default. On kFbgemmAvx2 and
  // kOneDnnAvx2, activations get 7 bits, as PyTorch has it for fbgemm; on the
  // others, 8. Where activations have 8 bits and sums could saturate all the
  // same, weights get 7 (target_mapping.h). kExact and kNs narrow nothing.
  std::optional<QuantizationTarget> target;
  // Says how each layer is quantized; absent for TargetMapping.
  std::optional<QConfigMapping> mapping;
  // What observes activations in DefaultMapping.
  ObserverKind observer = ObserverKind::kMse;
  // Of these observers, ObserverConfig::headroom.
  double headroom = 1;
  // Layers that stay in float: names or globs of them ("layer1.*"), ops
  // ("aten::linear"), families ("linear") or types of modules ("Linear").
  std::vector<std::string> keep;
  // Layers whose dynamic or weight-only op would fail on what they are fed, by
  // name, and why (refused_inputs.h): they stay in float. Not with `compat`.
  std::map<std::string, std::string> refused;
  // Concatenations whose inputs do not share one range, as PrepareCalibrated
  // (quantize_model.h) finds them. Not with `compat`, nor in other modes than
  // kStatic.
  UnbalancedParts parts;
  // How the result is made to lose less.
  QuantizeMethods methods;
  // Whether layers stay quantized that cost the outputs much, or in whose range
  // many channels of an output are lost (Quantize in
  // ns/quantization/quantize.h).
  bool allow_lost_channels = false;
  // PyTorch 1.13's results to the bit: those of prepare_fx and convert_fx with
  // get_default_qconfig_mapping(backend). `observer` and `headroom` are then
  // not used.
  bool compat = false;
  // Whether the result is the reference quantized graph, with quantize and
  // dequantize around float ops.
  bool reference = false;
  // Called during long work, with the part that is done of all of it: after
  // each calibration batch of QuantizeModel, each model that RescaleWhatHelps
  // tries, and each step of adaptive rounding. May be null.
  std::function<void(int64_t done, int64_t total)> progress;
};

// Whether layers may get a dynamic or weight-only op, so that it is worth
// looking for QuantizeOptions::refused.
bool MayRefuseInputs(const QuantizeOptions& options);

// Whether the backend's kernels are those of fbgemm.
bool RunsOnFbgemm(const QuantizeOptions& options);

// QuantizeOptions::target or, where that is absent, that of the backend:
// kFbgemmAvx2, which any server is, where RunsOnFbgemm, and else kExact.
QuantizationTarget TargetOf(const QuantizeOptions& options);

// What a linear layer gets by default in the mode kDynamic.
QConfig DynamicLinearQConfig(const QuantizeOptions& options);

// What is used where QuantizeOptions::mapping is absent: PyTorch's mapping
// for the backend and the mode, without what single layers of a model need on
// the target (target_mapping.h). Unless `compat` is set, `observer` observes
// where PyTorch's histogram does, and symmetric qint8 weights are quantized to
// -127..127.
QConfigMapping DefaultMapping(const QuantizeOptions& options);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_QUANTIZE_OPTIONS_H_
