#include "tests/testing/modules.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/hierarchy/make_module.h"

namespace ns {
namespace {

using ::torch::jit::Module;
using Ints = std::vector<int64_t>;

Module QuantizedLayer(const std::string& type, const std::string& op,
                      const c10::IValue& packed) {
  return MakeModule(type,
                    absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n",
                                 "    return ops.quantized.", op,
                                 "(x, self._packed_params, self.scale, "
                                 "self.zero_point)\n"),
                    {{"_packed_params", packed},
                     {"scale", 0.05},
                     {"zero_point", int64_t{64}}});
}

}  // namespace

Module MakeModule(const std::string& type, const std::string& source,
                  const Attributes& attributes, const Submodules& submodules) {
  Module module = NewModule(type);
  for (const auto& [name, value] : attributes) {
    if (value.isTensor()) {
      module.register_buffer(name, value.toTensor());
    } else {
      module.register_attribute(name, value.type(), value);
    }
  }
  for (const auto& [name, submodule] : submodules) {
    module.register_module(name, submodule);
  }
  const absl::Status defined = DefineMethods(module, source);
  if (!defined.ok()) {
    throw std::runtime_error(std::string(defined.message()));
  }
  return module;
}

Module MakeModel(const Submodules& submodules,
                 const std::vector<std::string>& body) {
  std::string source = "def forward(self, x: Tensor):\n";
  for (const std::string& line : body) {
    absl::StrAppend(&source, "    ", line, "\n");
  }
  return MakeModule("Model", source, {}, submodules);
}

Module Conv2d(const at::Tensor& weight) {
  return MakeModule("torch.nn.modules.conv.Conv2d",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.conv2d(x, self.weight)\n",
                    {{"weight", weight}});
}

Module Linear(const at::Tensor& weight) {
  return MakeModule("torch.nn.modules.linear.Linear",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.linear(x, self.weight)\n",
                    {{"weight", weight}});
}

Module BatchNorm2d(int channels, int seed) {
  const at::Tensor ramp =
      at::arange(1, channels + 1, at::kFloat) / channels * seed;
  return MakeModule(
      "torch.nn.modules.batchnorm.BatchNorm2d",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return torch.batch_norm(x, self.weight, self.bias,\n"
      "                            self.running_mean, self.running_var,\n"
      "                            self.training, 0.1, 1e-5, False)\n",
      {{"weight", ramp + 0.5},
       {"bias", ramp - 1},
       {"running_mean", ramp * 0.25},
       {"running_var", ramp * ramp + 0.25}});
}

Module Relu() {
  return MakeModule("torch.nn.modules.activation.ReLU",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.relu(x)\n");
}

Module QuantizedConv2d(const at::Tensor& weight, bool relu) {
  const c10::IValue packed =
      CallOp("quantized::conv2d_prepack",
             {QuantizeWeight(weight), c10::IValue(), Ints{1, 1}, Ints{0, 0},
              Ints{1, 1}, int64_t{1}});
  return relu ? QuantizedLayer(
                    "torch.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d",
                    "conv2d_relu", packed)
              : QuantizedLayer("torch.nn.quantized.modules.conv.Conv2d",
                               "conv2d", packed);
}

Module QuantizedLinear(const at::Tensor& weight, bool relu) {
  const c10::IValue packed = CallOp("quantized::linear_prepack",
                                    {QuantizeWeight(weight), c10::IValue()});
  return relu ? QuantizedLayer(
                    "torch.nn.intrinsic.quantized.modules.linear_relu."
                    "LinearReLU",
                    "linear_relu", packed)
              : QuantizedLayer("torch.nn.quantized.modules.linear.Linear",
                               "linear", packed);
}

Module Quantize() {
  return MakeModule("torch.nn.quantized.modules.Quantize",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.quantize_per_tensor(x, 0.05, 64, 13)\n");
}

Module DeQuantize() {
  return MakeModule("torch.nn.quantized.modules.DeQuantize",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return torch.dequantize(x)\n");
}

at::Tensor QuantizeWeight(const at::Tensor& weight) {
  const double scale = std::max(weight.abs().max().item<double>(), 1e-6) / 127;
  return at::quantize_per_tensor(weight, scale, 0, at::kQInt8);
}

c10::IValue CallOp(const std::string& name,
                   std::vector<c10::IValue> arguments) {
  const auto& operators =
      torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name));
  if (operators.empty()) {
    throw std::runtime_error("no operator " + name);
  }
  operators.front()->getOperation()(arguments);
  return arguments.front();
}

}  // namespace ns
