// A model of two linear layers between stubs, and questions about modules.
#ifndef TESTS_NS_QUANTIZATION_EAGER_TWO_LINEARS_H_
#define TESTS_NS_QUANTIZATION_EAGER_TWO_LINEARS_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

namespace ns {

// Modules `quant`, `a`, from 3 to 4 features, `b`, from 4 to 2, and `dequant`.
torch::jit::Module TwoLinears();

// The type of the child `name`, without mangling.
std::string TypeAt(const torch::jit::Module& model, const std::string& name);

// What `model` returns for one tensor.
at::Tensor OutputOf(torch::jit::Module model, const at::Tensor& x);

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_EAGER_TWO_LINEARS_H_
