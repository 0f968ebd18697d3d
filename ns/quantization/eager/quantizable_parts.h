// Makes the parts of layers that PyTorch quantizes part by part: recurrent and
// attention layers.
#ifndef NS_QUANTIZATION_EAGER_QUANTIZABLE_PARTS_H_
#define NS_QUANTIZATION_EAGER_QUANTIZABLE_PARTS_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/statusor.h"

namespace ns {

// Returns the attribute `name` of `module`; undefined where there is none, or
// where it is no tensor.
at::Tensor TensorOf(const torch::jit::Module& module, const std::string& name);

// Adds the attribute `name` to `module`, which must not have it yet.
void SetField(const std::string& name, const c10::IValue& value,
              torch::jit::Module& module);

// Returns a torch.nn.Linear of `weight`, [out, in], and `bias`, which may be
// undefined. It shares both tensors.
absl::StatusOr<torch::jit::Module> LinearModule(const at::Tensor& weight,
                                                const at::Tensor& bias);

// Returns a torch.ao.nn.quantized.FloatFunctional with the methods that
// `source` defines (DefineMethods in ir/hierarchy/make_module.h). What they
// hand to `self.activation_post_process.forward` is observed once the model is
// prepared. Error: code that does not compile.
absl::StatusOr<torch::jit::Module> FloatFunctional(const std::string& source);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QUANTIZABLE_PARTS_H_
