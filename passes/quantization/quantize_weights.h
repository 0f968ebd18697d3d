// Gives the weights of a copied float subgraph the values that they have after
// quantization.
#ifndef PASSES_QUANTIZATION_QUANTIZE_WEIGHTS_H_
#define PASSES_QUANTIZATION_QUANTIZE_WEIGHTS_H_

#include "absl/status/status.h"
#include "passes/quantization/qconfig.h"
#include "passes/rewrite/copy_subgraph.h"

namespace ns {

// Quantizes and dequantizes the weights of all ops of `subgraph` with what an
// observer of `weight` finds for each. `subgraph` is a copy that nothing else
// uses. A batch norm behind a convolution or a linear is folded into weight and
// bias before, as it is when a model is quantized:
//
//   %y = aten::conv2d(%x, %weight, %bias, ...)
//   %n = aten::batch_norm(%y, ...)
//   %r = aten::relu(%n)
// becomes
//   %folded = prim::Constant[value=<Tensor>]()     # quantized, dequantized
//   %folded_bias = prim::Constant[value=<Tensor>]()
//   %y = aten::conv2d(%x, %folded, %folded_bias, ...)
//   %r = aten::relu(%y)
//
// Constant weights are quantized at once; weights that the graph computes when
// it runs go through ns::fake_quantize_weight. Biases stay in float. Weights of
// norms have no integer form, and change for half precision only. A placeholder
// of float weights changes nothing. Errors: a tensor that cannot be quantized;
// an observer that is made of an object (kScripted), or finds no parameters.
absl::Status QuantizeWeights(const ObserverSpec& weight,
                             CopiedSubgraph& subgraph);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QUANTIZE_WEIGHTS_H_
