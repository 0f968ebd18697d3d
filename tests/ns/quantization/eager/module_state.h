// What a module hierarchy holds, as text to compare.
#ifndef TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_
#define TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "ns/batches/batch.h"

namespace ns {

// Returns what `ours` and `theirs` do not both hold, a line for each: whose it
// is, its path, and the beginning of its value. "" for no difference. Compared
// are the types of all modules and their attributes: numbers, the values of
// tensors, and the tensors of packed weights. A number equals a tensor of that
// one element.
//
// Left out are attributes that are None, what every module has (`training`),
// and what PyTorch's quantized modules have but do not use: attributes named
// `bias_ih` or `bias_hh`, and those that begin with `in_proj_`.
std::string DifferenceOf(const torch::jit::Module& ours,
                         const torch::jit::Module& theirs);

// Runs `forward` with the positional arguments of `batch`. Returns the tensor
// that it returns, or the first one of the tuple, nested or not. Throws where
// there is none.
at::Tensor OutputOf(torch::jit::Module module, const Batch& batch);

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_EAGER_MODULE_STATE_H_
