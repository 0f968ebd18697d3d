// Pairs the weights of a float and a quantized model.
#ifndef NS_EAGER_WEIGHT_PAIRS_H_
#define NS_EAGER_WEIGHT_PAIRS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "ns/eager/module_weights.h"

namespace ns {

// The tensors by key, in the order of a state dict.
using KeyedTensors = std::vector<std::pair<std::string, at::Tensor>>;

struct FloatWeight {
  // The key in the float model: "conv.0.weight".
  std::string key;
  at::Tensor value;
};

struct WeightPair {
  ModuleWeight quantized;
  // As many weights as `quantized` has values, or none where the float model
  // has no counterpart.
  std::vector<FloatWeight> of_float;
};

// Returns a pair for each of `quantized`, in their order, with the float weight
// that FindMatch (ns/eager/find_match.h) finds. `float_tensors` are all tensors
// of the float model. With `compat`, pairs are those of PyTorch's suite, with
// the defects that CompareWeightsOptions names: some weights get another
// counterpart or none, and where a recurrent layer's cell has one, only the
// last weight is left on both sides.
std::vector<WeightPair> PairWeights(const KeyedTensors& float_tensors,
                                    std::vector<ModuleWeight> quantized,
                                    bool compat);

}  // namespace ns

#endif  // NS_EAGER_WEIGHT_PAIRS_H_
