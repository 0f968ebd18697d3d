// Finds the weights of one op, and the biases of a recurrent one, whether they
// are constants or packed.
#ifndef PASSES_ANALYSIS_NODE_WEIGHTS_H_
#define PASSES_ANALYSIS_NODE_WEIGHTS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// A weight and its name.
struct NamedTensor {
  // "weight"; for recurrent layers "weight_ih_l0", "weight_hh_l0_reverse", ...
  // as in torch.nn; for recurrent cells "weight_ih" and "weight_hh".
  std::string name;
  // The weight as it is stored (quantized for int8 ops), in the shape of the
  // float op's weight.
  at::Tensor value;
};

// Returns the weights of `node`. Its row of the op table says where they are:
// in constant inputs, also behind observers and casts, or in packed parameters,
// which are unpacked. Empty for ops without weights and for weights that are
// not constant. Error: a packed object that cannot be unpacked.
absl::StatusOr<std::vector<NamedTensor>> NodeWeights(
    const torch::jit::Node& node);

// Returns the biases of a recurrent layer or cell as one vector: b_ih and b_hh,
// cell by cell in the order of NodeWeights. Undefined for other ops, and where
// there are no biases or not constant ones. Error: a packed object that cannot
// be unpacked.
absl::StatusOr<at::Tensor> RecurrentBias(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_NODE_WEIGHTS_H_
