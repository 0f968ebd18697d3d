// Collects the weights of a float and a quantized model side by side.
#ifndef NS_EAGER_COMPARE_WEIGHTS_H_
#define NS_EAGER_COMPARE_WEIGHTS_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "ns/eager/logger_dict.h"
#include "ns/eager/state_dict.h"

namespace ns {

struct CompareWeightsOptions {
  // Whether to reproduce three defects of PyTorch's suite: of recurrent layers
  // it returns the hidden-to-hidden weight only, and takes the number of a cell
  // for that of a layer, so that cells of a bidirectional layer meet the weight
  // of another cell, or none; it compares paths without their dots, so that
  // "ab.c.weight" is taken for "a.bc.weight"; and it leaves out embeddings,
  // recurrent cells, and recurrent layers that stayed float.
  bool compat = false;
};

// Returns an entry for each module of the quantized model that has weights and
// a counterpart in the float model: the lists "float" and "quantized". The
// counterpart is the module at the same path. If that has no such weight, since
// fusion put the layer into a container such as ConvReLU2d, it is the
// container's first child that has one. Layers that stayed float have entries,
// too. PyTorch calls this torch.ao.ns._numeric_suite.compare_weights.
//
// Keys are those of the quantized model's state_dict, in its order:
// "conv1.weight", "fc._packed_params._packed_params". Each list holds one
// tensor; for "lstm._all_weight_values.0.param", two: input-to-hidden and
// hidden-to-hidden. Quantized weights are not dequantized.
//
// Error: packed parameters that cannot be unpacked.
absl::StatusOr<LoggerDict> CompareWeights(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const CompareWeightsOptions& options = {});

// Does the same for state dicts, which PyTorch's compare_weights takes. Packed
// parameters of an unknown class have no entry.
LoggerDict CompareWeights(const StateDict& float_dict,
                          const StateDict& quantized_dict,
                          const CompareWeightsOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_COMPARE_WEIGHTS_H_
