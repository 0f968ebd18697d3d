// What a module hierarchy holds, as text to compare.
#ifndef TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_
#define TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "ns/batches/batch.h"

namespace ns {

// What `ours` and `theirs` do not both hold, a line each; "" for nothing. All
// attributes of them and of modules below are compared, by path: the type of a
// module, numbers, the values of tensors, and the weights and biases of packed
// ones. What every module has, such as `training`, and None is left out, and
// whether a value is a number or a tensor of one element does not count.
std::string DifferenceOf(const torch::jit::Module& ours,
                         const torch::jit::Module& theirs);

// The first tensor of what `module` returns.
at::Tensor OutputOf(torch::jit::Module module, const Batch& batch);

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_
