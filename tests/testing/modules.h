// Makes TorchScript modules for tests, float ones and quantized ones.
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

// Makes a module of type `__torch__.<type>` with TorchScript `source` as its
// methods: aten ops are `torch.relu(x)`, others `ops.quantized.add(...)`, and
// submodules are called as `self.fc.forward(x)`. Throws when it does not
// compile.
torch::jit::Module MakeModule(const std::string& type,
                              const std::string& source,
                              const Attributes& attributes = {},
                              const Submodules& submodules = {});

// Makes a root module whose `forward(self, x: Tensor)` has `body` as its lines.
torch::jit::Module MakeModel(const Submodules& submodules,
                             const std::vector<std::string>& body);

// These are torch.nn modules. `weight` is as in torch.nn; there is no bias; the
// stride is 1 and the padding 0.
torch::jit::Module Conv2d(const at::Tensor& weight);
torch::jit::Module Linear(const at::Tensor& weight);
// The statistics and the affine part follow from `seed`.
torch::jit::Module BatchNorm2d(int channels, int seed = 1);
torch::jit::Module Relu();

// These are torch.nn.quantized modules with QuantizeWeight(weight) and an
// output of scale 0.05 and zero point 64; else as above. With `relu`, they are
// torch.nn.intrinsic.quantized modules.
torch::jit::Module QuantizedConv2d(const at::Tensor& weight, bool relu);
torch::jit::Module QuantizedLinear(const at::Tensor& weight, bool relu);
// These are torch.nn.quantized.Quantize, to quint8 with scale 0.05 and zero
// point 64, and DeQuantize.
torch::jit::Module Quantize();
torch::jit::Module DeQuantize();

// Returns `weight`, of float, as qint8 with one scale: its largest absolute
// value becomes 127. The zero point is 0.
at::Tensor QuantizeWeight(const at::Tensor& weight);

// Returns the first output of the operator `name`, the first overload of it,
// called with all its `arguments`. Throws when there is no such operator.
c10::IValue CallOp(const std::string& name, std::vector<c10::IValue> arguments);

}  // namespace ns

#endif  // TESTS_TESTING_MODULES_H_
