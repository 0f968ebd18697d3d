// Gives a quantized module attributes for what its code has as constants.
#ifndef NS_QUANTIZATION_EAGER_CONSTANT_ATTRIBUTES_H_
#define NS_QUANTIZATION_EAGER_CONSTANT_ATTRIBUTES_H_

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/module.h>

#include "absl/status/status.h"
#include "ns/quantization/eager/quantized_types.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Lets `graph`, which is to be a method of `module`, read attributes where it
// has constants, under the names that PyTorch's class `type` has for them:
// packed weights, the scale and zero point of the output, and parameters and
// buffers that `module` has.
//
//   %y = quantized::linear(%x, %packed, %scale, %zero_point)
// becomes
//   %params = prim::GetAttr[name="_packed_params"](%self)
//   %packed = prim::GetAttr[name="_packed_params"](%params)
//   %scale = prim::GetAttr[name="scale"](%self)
//   ...
//
// The first input of `graph` is the module; it gets the type of `module`.
// Attributes for packed weights are added where `module` does not have them
// yet; `dtype` is what the weights are quantized to. Those for the scale and
// zero point must be there. Error: an attribute that cannot be made.
absl::Status TakeConstants(const QuantizedType& type, at::ScalarType dtype,
                           torch::jit::Module& module,
                           torch::jit::Graph& graph);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_CONSTANT_ATTRIBUTES_H_
