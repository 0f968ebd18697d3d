#include "passes/rewrite/first_tensor.h"

#include "passes/rewrite/tensor_in.h"

namespace ns {

absl::StatusOr<torch::jit::Value*> FirstTensor(torch::jit::Value* value,
                                               torch::jit::Node* place) {
  return TensorIn(value, 0, place);
}

}  // namespace ns
