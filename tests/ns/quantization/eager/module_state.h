// What a module hierarchy holds, as text to compare.
#ifndef TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_
#define TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <string>

#include "ns/batches/batch.h"

namespace ns {

// All attributes of `module` and of those below, by path: the type of a module,
// numbers, the values of tensors, and the weights and biases of packed ones.
// What every module has, such as `training`, is left out, and whether a value
// is a number or a tensor of one element does not count.
std::map<std::string, std::string> StateOf(const torch::jit::Module& module);

// The first tensor of what `module` returns.
at::Tensor OutputOf(torch::jit::Module module, const Batch& batch);

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_
