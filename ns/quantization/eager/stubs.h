// The modules that say where a hierarchy is quantized.
#ifndef NS_QUANTIZATION_EAGER_STUBS_H_
#define NS_QUANTIZATION_EAGER_STUBS_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/module_editor.h"

namespace ns {

// torch.nn.Identity: returns its input.
torch::jit::Module Identity();

// torch.ao.quantization.QuantStub: hands its input on, which `Prepare`
// observes, and is quantized by what `Convert` makes of it.
torch::jit::Module QuantStub();

// torch.ao.quantization.DeQuantStub: hands its input on; `Convert` makes a
// DeQuantize of it.
torch::jit::Module DeQuantStub();

// torch.ao.quantization.QuantWrapper: runs `module` between the stubs `quant`
// and `dequant`, which have its own qconfig (module_qconfig.h), if it has one.
// The wrapper is in training if `module` is. Error: one whose `forward` is not
// (Tensor) -> Tensor, or with forward hooks.
absl::StatusOr<torch::jit::Module> QuantWrapper(
    const torch::jit::Module& module);

// Puts every module that has no modules inside, and a qconfig
// (module_qconfig.h), into a QuantWrapper, whose stubs have its qconfig
// (reference: add_quant_dequant). Error: a module that cannot be wrapped,
// named; the root itself, whose wrapper QuantWrapper makes.
absl::Status AddQuantDequant(ModuleEditor& editor);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_STUBS_H_
