// Makes the quantized module that takes the place of a float one.
#ifndef NS_QUANTIZATION_EAGER_QUANTIZED_MODULE_H_
#define NS_QUANTIZATION_EAGER_QUANTIZED_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// Returns a module of PyTorch's class `type`, a value of the mappings in
// module_mappings.h, that computes what `module` does with the weights of
// `module` quantized as `qconfig` says (reference: the methods from_float). It
// has the attributes of that class and the entries of its state_dict, methods
// that are called as those of `module` are, and needs LibTorch's ops only.
//
// `module` may be observed (module_observers.h) or trained (qat_module.h): the
// output of static types has the scale and zero point that the observer finds.
// Weights are packed for the quantized engine that is set. A weight of a
// dynamic type in half precision gives a float module with rounded weights,
// since no engine here multiplies in half precision.
//
// Its code is that of `module`, inlined and frozen, in which the passes for
// flat graphs have quantized the one layer.
//
// `warnings` gets a line for what was done otherwise than asked, such as the
// scale 1 for an observer that has seen no value; it may be null.
//
// Error: a type that is none of these, a static one without an observer, a
// module that has not the one layer that the type computes, or a layer that
// cannot be quantized, with the reason.
absl::StatusOr<torch::jit::Module> MakeQuantizedModule(
    const torch::jit::Module& module, absl::string_view type,
    const QConfig& qconfig, std::vector<std::string>* warnings = nullptr);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QUANTIZED_MODULE_H_
