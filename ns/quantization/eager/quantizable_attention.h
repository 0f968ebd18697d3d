// Makes a MultiheadAttention of linear layers and stubs, which can be observed
// and quantized one by one.
#ifndef NS_QUANTIZATION_EAGER_QUANTIZABLE_ATTENTION_H_
#define NS_QUANTIZATION_EAGER_QUANTIZABLE_ATTENTION_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"

namespace ns {

// The class of the module that is made, and that of what `Convert` makes of it.
inline constexpr char kQuantizableAttention[] =
    "torch.ao.nn.quantizable.modules.activation.MultiheadAttention";
inline constexpr char kQuantizedAttention[] =
    "torch.ao.nn.quantized.modules.activation.MultiheadAttention";

// Returns a module that computes what `attention`, a scripted
// torch.nn.MultiheadAttention, does (reference:
// torch.ao.nn.quantizable.MultiheadAttention). Its modules have PyTorch's
// names. For `heads` heads of d features, where each row of q, k and v is split
// into the heads:
//
//   q = q_scaling_product.mul_scalar(linear_Q(query), 1 / sqrt(d))
//   k, v = linear_K(key), linear_V(value)
//   weights = softmax(dequant_q(q) @ dequant_k(k)^T + masks)
//   output = out_proj(quant_attn_output(weights @ dequant_v(v)))
//   return output, mean over heads of quant_attn_output_weights(weights)
//
// so that the products of activations with each other are computed in float.
// bias_k, bias_v and add_zero_attn work as in `attention`. Once the module is
// converted, it takes quantized queries, keys and values. It shares the weights
// of `attention`, but has copies of the parts of in_proj_weight and
// in_proj_bias.
//
// With batch_first, it does what `attention` does; PyTorch 1.13 forgets
// batch_first. As in `attention`, there may be no dimension of batches.
//
// Error: another module, such as one that was traced; features that cannot be
// split into the heads.
absl::StatusOr<torch::jit::Module> QuantizableAttention(
    const torch::jit::Module& attention);

// Quantizes the tensors `bias_k` and `bias_v` of `attention`, whose linear
// layers are quantized, to quint8, each by its own range. They become
// attributes that are no parameters.
void QuantizeAttentionBiases(torch::jit::Module& attention);

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_QUANTIZABLE_ATTENTION_H_
