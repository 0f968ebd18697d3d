// Lists the weights in the modules of a model, by the keys that state_dict
// gives them.
#ifndef NS_EAGER_MODULE_WEIGHTS_H_
#define NS_EAGER_MODULE_WEIGHTS_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/eager/state_dict.h"

namespace ns {

// Returns parameters and buffers by key, in the order of state_dict.
std::vector<std::pair<std::string, at::Tensor>> StateTensors(
    const torch::jit::Module& module);

// Returns the tensors of `dict`, without packed parameters.
std::vector<std::pair<std::string, at::Tensor>> StateTensors(
    const StateDict& dict);

// Says how a module holds a weight, with the form of its key. A state dict
// holds the weight of a quantized Conv as a tensor.
enum class WeightHolder {
  kTensor,           // a parameter or buffer
  kPackedConv,       // Conv: key as the float one's, "conv.weight"
  kPackedLinear,     // Linear: "fc._packed_params._packed_params"
  kPackedEmbedding,  // Embedding: "emb._packed_params._packed_weight"
  kPackedCell,       // LSTMCell: "cell._packed_weight_ih"
  kCellParams,       // LSTM: "lstm._all_weight_values.0.param"
};

struct ModuleWeight {
  std::string key;
  WeightHolder holder = WeightHolder::kTensor;
  // The path of the module that the weight belongs to, and the parameter's name
  // in the float module, "weight". For kCellParams, the number of the cell.
  std::string path;
  std::string parameter;
  // The weight's tensor; kCellParams has two, w_ih and w_hh.
  std::vector<at::Tensor> values;
};

// Returns the weights of all modules of a model, parents first: tensors whose
// name starts with "weight", and packed parameters. Error: packed parameters
// that cannot be unpacked.
absl::StatusOr<std::vector<ModuleWeight>> ModuleWeights(
    const torch::jit::Module& module);

// Returns the weights of a state dict, in its order. `values` is empty for
// packed parameters of an unknown class.
std::vector<ModuleWeight> ModuleWeights(const StateDict& dict);

}  // namespace ns

#endif  // NS_EAGER_MODULE_WEIGHTS_H_
