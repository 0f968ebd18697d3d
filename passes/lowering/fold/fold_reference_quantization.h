// From a reference quantized graph, which computes in float between dequantize
// and quantize, to the quantized ops that it stands for.
#ifndef PASSES_LOWERING_FOLD_FOLD_REFERENCE_QUANTIZATION_H_
#define PASSES_LOWERING_FOLD_FOLD_REFERENCE_QUANTIZATION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/pass.h"

namespace ns {

// Folds what convert_to_reference_fx and eager reference modules give, scripted
// or traced:
//
//   %d = aten::dequantize(%q)
//   %w = aten::dequantize(%weight)        # constant int8 codes
//   %c = aten::conv2d(%d, %w, %bias, ...)
//   %r = aten::relu(%c)
//   %y = aten::quantize_per_tensor(%r, %scale, %zero_point, %dtype)
// becomes
//   %y = quantized::conv2d_relu(%q, %packed, %scale, %zero_point)
//
// fold/quantized_ops.h lists the ops; activations that LibTorch knows in float
// only, such as silu and gelu, become ops of ours that look codes up
// (ns::fbgemm_silu), and so do 3d max pooling and group and instance norms that
// may be of tensors of two dimensions, which LibTorch refuses; a saved graph
// that has them runs where libns_ops.so is loaded. Weights are packed now, for
// the quantized engine that is set, and become constants; of a layer that is
// called twice, twice.
//
// An op that moves or picks elements, such as max_pool2d, flatten or relu
// (fold/code_ops.h), works on codes, whatever follows it, and a quantize that
// changes nothing vanishes:
//
//   %d = aten::dequantize(%q)
//   %f = aten::flatten(%d, %one, %last)
// becomes
//   %g = aten::flatten(%q, %one, %last)
//   %f = aten::dequantize(%g)
//
// Folded convolutions lay their outputs out as channels-last, whatever their
// input is: views become reshapes (fold/reshape_views.h).
//
// A linear whose input is quantized with parameters of the moment becomes a
// dynamic one, and embeddings look up packed rows:
//
//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
//   %e = quantized::embedding_byte(%packed, %indices, %pruned)
//
// A quantize of what a prim::If gives moves into its arms where ops wait for it
// (fold/sink_quantize.h). Ops in place whose writes nothing else sees become
// out-of-place ones first.
//
// Numerics. Codes are those of the reference graph up to one step: kernels
// round sums in another order, and resolve ties otherwise. That a float layer
// takes inputs of other ranks than its kernel (images without a batch, group
// norms of rows) only a run tells; as PyTorch's own lowering does, this folds
// it. (The convolutions that lower-to-fbgemm puts in their place take images
// without a batch.)
//
// The graph must be frozen (ir/model_graph.h does it) for weights and scales to
// be constants. Scales and zero points of activations need not be.
//
// What still computes in float afterwards is remarked on, in order of
// execution.
class FoldReferenceQuantization final : public Pass {
 public:
  absl::string_view name() const override {
    return "fold-reference-quantization";
  }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;
};

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_REFERENCE_QUANTIZATION_H_
