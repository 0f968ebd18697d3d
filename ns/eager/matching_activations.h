// Pairs the logged values of a float and a quantized model.
#ifndef NS_EAGER_MATCHING_ACTIVATIONS_H_
#define NS_EAGER_MATCHING_ACTIVATIONS_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "ns/eager/logger_dict.h"

namespace ns {

struct MatchingActivationsOptions {
  // Whether to reproduce what PyTorch's suite does wrong: it compares paths
  // without their dots, so that "ab.c" is taken for "a.bc", and a child of a
  // module for the module itself where its name sorts behind "stats".
  bool compat = false;
};

// Returns the values "float" and "quantized" of every module of the quantized
// model that has logged some, and has a counterpart: the float module at the
// same path, or else its last child that was logged. Both models come from
// PrepareModelOutputs, and have run. Keys and their order are those of the
// quantized model. (In PyTorch's eager suite it is get_matching_activations.)
//
// Error: a logger whose values cannot be read, or are no list of tensors.
absl::StatusOr<LoggerDict> GetMatchingActivations(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const MatchingActivationsOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_MATCHING_ACTIVATIONS_H_
