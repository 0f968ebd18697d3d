// Gives the weights of a copied float subgraph the values that they have after
// quantization.
#ifndef PASSES_QUANTIZATION_LAYERS_QUANTIZE_WEIGHTS_H_
#define PASSES_QUANTIZATION_LAYERS_QUANTIZE_WEIGHTS_H_

#include "absl/status/status.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/rewrite/copy_subgraph.h"

namespace ns {

// Quantizes and dequantizes the weights of all ops of `subgraph`, each with the
// scale and zero point that an observer made from `weight` finds for it.
// `subgraph` is a copy that nothing else uses. A batch norm behind a
// convolution or a linear is first folded into weight and bias, as when a model
// is quantized; one that FoldBatchNormInto refuses stays:
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
// norms have no integer form, and change for half precision only. A `weight`
// that is PlaceholderSpec() changes nothing, nor does a dynamic one. Errors: a
// tensor that cannot be quantized; a `weight` of the kind kScripted, or of one
// that finds no scale.
absl::Status QuantizeWeights(const ObserverSpec& weight,
                             CopiedSubgraph& subgraph);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_LAYERS_QUANTIZE_WEIGHTS_H_
