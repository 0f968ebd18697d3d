// TorchScript modules made in tests, float ones and quantized ones.
#ifndef TESTS_TESTING_MODULES_H_
#define TESTS_TESTING_MODULES_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

namespace ns {

using Attributes = std::vector<std::pair<std::string, c10::IValue>>;
using Submodules = std::vector<std::pair<std::string, torch::jit::Module>>;

// A module of type `__torch__.<type>` with TorchScript `source` as its methods:
// aten ops are `torch.relu(x)`, others `ops.quantized.add(...)`, and submodules
// are called as `self.fc.forward(x)`.
torch::jit::Module MakeModule(const std::string& type,
                              const std::string& source,
                              const Attributes& attributes = {},
                              const Submodules& submodules = {});

// A root module whose `forward(self, x: Tensor)` has `body` as its lines.
torch::jit::Module MakeModel(const Submodules& submodules,
                             const std::vector<std::string>& body);

// torch.nn modules. `weight` as in torch.nn; no bias; stride 1; no padding.
torch::jit::Module Conv2d(const at::Tensor& weight);
torch::jit::Module Linear(const at::Tensor& weight);
// With statistics and an affine part that `seed` chooses.
torch::jit::Module BatchNorm2d(int channels, int seed = 1);
torch::jit::Module Relu();

// torch.nn.quantized modules: per-tensor weight, output scale 0.05 and zero
// point 64. With `relu`, torch.nn.intrinsic.quantized modules.
torch::jit::Module QuantizedConv2d(const at::Tensor& weight, bool relu);
torch::jit::Module QuantizedLinear(const at::Tensor& weight, bool relu);
// torch.nn.quantized.Quantize and DeQuantize.
torch::jit::Module Quantize();
torch::jit::Module DeQuantize();

// `weight` as int8, with the scale that its largest element needs.
at::Tensor QuantizeWeight(const at::Tensor& weight);

// The first output of the operator `name`, called with `arguments`.
c10::IValue CallOp(const std::string& name, std::vector<c10::IValue> arguments);

}  // namespace ns

#endif  // TESTS_TESTING_MODULES_H_
