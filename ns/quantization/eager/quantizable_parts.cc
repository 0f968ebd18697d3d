#include "ns/quantization/eager/quantizable_parts.h"

#include <ATen/core/jit_type.h>

#include "ir/base/status.h"
#include "ir/hierarchy/make_module.h"
#include "ns/quantization/eager/stubs.h"

namespace ns {

using ::torch::jit::Module;

at::Tensor TensorOf(const Module& module, const std::string& name) {
  return module.hasattr(name) && module.attr(name).isTensor()
             ? module.attr(name).toTensor()
             : at::Tensor();
}

void SetField(const std::string& name, const c10::IValue& value,
              Module& module) {
  module.register_attribute(name, value.type(), value);
}

absl::StatusOr<Module> LinearModule(const at::Tensor& weight,
                                    const at::Tensor& bias) {
  Module linear = NewModule("torch.nn.modules.linear.Linear");
  SetField("in_features", weight.size(1), linear);
  SetField("out_features", weight.size(0), linear);
  linear.register_parameter("weight", weight, /*is_buffer=*/false);
  if (bias.defined()) {
    linear.register_parameter("bias", bias, /*is_buffer=*/false);
  } else {
    linear.register_attribute("bias", c10::NoneType::get(), c10::IValue());
  }
  NS_RETURN_IF_ERROR(DefineMethods(
      linear,
      "def forward(self, input: Tensor) -> Tensor:\n"
      "    return torch.linear(input, self.weight, self.bias)\n"));
  return linear;
}

absl::StatusOr<Module> FloatFunctional(const std::string& source) {
  Module functional = NewModule(
      "torch.ao.nn.quantized.modules.functional_modules.FloatFunctional");
  functional.register_module("activation_post_process", Identity());
  NS_RETURN_IF_ERROR(DefineMethods(functional, source));
  return functional;
}

}  // namespace ns
