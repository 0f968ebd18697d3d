// The weights of one op, wherever it keeps them.
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

struct NamedTensor {
  // "weight"; for recurrent layers "weight_ih_l0", "weight_hh_l0_reverse", ...
  // as in torch.nn; for recurrent cells "weight_ih" and "weight_hh".
  std::string name;
  // As stored: quantized for int8 ops. Shaped as the float op's weight.
  at::Tensor value;
};

// The weights of `node` as its row of the op table says: constant inputs,
// traced through observers and casts, or unpacked from packed parameters.
// Empty for ops without weights and for weights that are not constant. Error: a
// packed object that cannot be unpacked.
absl::StatusOr<std::vector<NamedTensor>> NodeWeights(
    const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_ANALYSIS_NODE_WEIGHTS_H_
