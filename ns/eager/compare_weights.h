// Collects the weights of a float and a quantized model side by side.
#ifndef NS_EAGER_COMPARE_WEIGHTS_H_
#define NS_EAGER_COMPARE_WEIGHTS_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "ns/eager/logger_dict.h"
#include "ns/eager/state_dict.h"

namespace ns {

struct CompareWeightsOptions {
  // Whether to reproduce what PyTorch's suite does wrong: of a recurrent layer
  // it returns the hidden-to-hidden weight alone, and that not at all for the
  // reverse direction; it compares paths without their dots, so that
  // "ab.c.weight" is taken for "a.bc.weight"; and it misses embeddings,
  // recurrent cells and recurrent layers that stayed float.
  bool compat = false;
};

// Returns the weights "float" and "quantized" of every module of the quantized
// model that has some, and a counterpart in the float model: the module at the
// same path, or else its first child that has such a weight, where fusion
// wrapped it. Layers that stayed float are included. (In PyTorch's eager suite
// it is compare_weights.)
//
// Keys are those of the quantized model's state_dict, in its order:
// "conv1.weight", "fc._packed_params._packed_params". Each list holds one
// tensor; for "lstm._all_weight_values.0.param", two: input-to-hidden and
// hidden-to-hidden. Quantized weights are as stored.
//
// Error: packed parameters that cannot be unpacked.
absl::StatusOr<LoggerDict> CompareWeights(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const CompareWeightsOptions& options = {});

// Does the same for state dicts, which PyTorch's compare_weights takes.
LoggerDict CompareWeights(const StateDict& float_dict,
                          const StateDict& quantized_dict,
                          const CompareWeightsOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_COMPARE_WEIGHTS_H_
