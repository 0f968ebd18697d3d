// The modules that say where a hierarchy is quantized.
#ifndef NS_QUANTIZATION_EAGER_STUBS_H_
#define NS_QUANTIZATION_EAGER_STUBS_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/hierarchy/module_editor.h"

namespace ns {

// torch.nn.Identity: returns its input.
torch::jit::Module Identity();

// torch.ao.quantization.QuantStub: returns its input. `Prepare`
// (prepare_and_convert.h) observes what it returns, and `Convert` replaces it
// by a module that quantizes.
torch::jit::Module QuantStub();

// torch.ao.quantization.DeQuantStub: returns its input; `Convert` replaces it
// by a DeQuantize.
torch::jit::Module DeQuantStub();

// torch.ao.quantization.QuantWrapper: runs `module`, which is not copied,
// between the stubs `quant` and `dequant`. These get its qconfig
// (module_qconfig.h), if it has one; the wrapper has none. The wrapper is in
// training if `module` is. Error: a module whose `forward` is not (Tensor) ->
// Tensor, or with forward hooks.
absl::StatusOr<torch::jit::Module> QuantWrapper(
    const torch::jit::Module& module);

// Puts every module that has a qconfig and no modules inside, and is no stub,
// into a QuantWrapper, which gets the qconfig, too (reference:
// add_quant_dequant). Error: a module that QuantWrapper refuses, named, or a
// root that would be wrapped itself: call the function below for it.
absl::Status AddQuantDequant(ModuleEditor& editor);

// Does the same to a copy of `module`, and returns it. A module that would be
// wrapped itself is: the wrapper is returned. Error: a module that QuantWrapper
// refuses, named.
absl::StatusOr<torch::jit::Module> AddQuantDequant(
    const torch::jit::Module& module);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_STUBS_H_
