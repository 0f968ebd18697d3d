// Turns a reference quantized graph, which computes in float between dequantize
// and quantize, into the quantized ops that it stands for.
#ifndef PASSES_LOWERING_FOLD_FOLD_REFERENCE_QUANTIZATION_H_
#define PASSES_LOWERING_FOLD_FOLD_REFERENCE_QUANTIZATION_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "llvm/ADT/DenseSet.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Folds the graphs of models that convert_to_reference_fx or eager reference
// modules made, scripted or traced:
//
//   %d = aten::dequantize(%q)
//   %w = aten::dequantize(%weight)        # a constant int8 tensor
//   %c = aten::conv2d(%d, %w, %bias, ...)
//   %r = aten::relu(%c)
//   %y = aten::quantize_per_tensor(%r, %scale, %zero_point, %dtype)
// becomes
//   %y = quantized::conv2d_relu(%q, %packed, %scale, %zero_point)
//
// fold/quantized_ops.h lists the ops. Some become ns ops (see Options), because
// LibTorch has no quantized kernel for them: activations such as silu and gelu,
// which ns::fbgemm_silu and the like look up in a table; 3d max pooling; and
// group and instance norms whose input is not known to have three dimensions or
// more. A saved graph with ns ops runs only where libns_ops.so is loaded.
//
// Weights are packed by this pass, for the quantized engine that is set, and
// become constants. The weight of a layer that is called twice is packed twice.
//
// An op that moves or picks elements, such as max_pool2d, flatten or relu
// (fold/ops_on_quantized.h), runs on the quantized tensor, whatever follows it,
// and a quantize that changes nothing is removed:
//
//   %d = aten::dequantize(%q)
//   %f = aten::flatten(%d, %one, %last)
// becomes
//   %g = aten::flatten(%q, %one, %last)
//   %f = aten::dequantize(%g)
//
// Folded convolutions lay their outputs out as channels-last, whatever the
// layout of their input. Views therefore become reshapes
// (fold/reshape_views.h).
//
// A linear whose input is quantized with qparams that each run chooses becomes
// a dynamic linear, and embeddings look up packed rows:
//
//   %y = quantized::linear_dynamic(%x, %packed, %reduce_range)
//   %e = quantized::embedding_byte(%packed, %indices, %pruned)
//
// A quantize of the output of a prim::If moves into the arms where that lets
// ops be folded (fold/sink_quantize.h). Ops in place become out-of-place ones
// first, where nothing else sees what they write (fold/local_mutation.h).
//
// Numerics. Quantized values differ from those of the reference graph by one
// step at most: kernels round sums in another order, and resolve ties
// differently. A float layer may be given inputs of a rank that its quantized
// kernel does not take (images without a batch, group norms of rows); only a
// run tells, and the layer is folded all the same, as PyTorch's own lowering
// does. (The convolutions that lower-to-fbgemm puts in their place take images
// without a batch.)
//
// The graph must be frozen (ir/model/model_graph.h does it), so that weights
// and their scales are constants. Scales and zero points of activations need
// not be.
//
// Ops that still compute in float afterwards get a remark each, in order of
// execution.
//
// Error: a graph that LibTorch cannot rewrite; the graph is then well formed,
// and some of it may be folded.
class FoldReferenceQuantization final : public Pass {
 public:
  struct Options {
    // Whether ns ops take the place of what LibTorch has no quantized kernel
    // for. Otherwise such ops stay in float, and the graph runs without
    // libns_ops.so.
    bool ns_ops = true;
    // Families (passes/ops/op_families.h) whose ops stay in float.
    std::vector<std::string> float_families;
    // Single ops of the graph that do.
    llvm::DenseSet<const torch::jit::Node*> float_nodes;
    // Whether sums and products with a number become LibTorch's ops that choose
    // the qparams of their output, as convert_fx has it: a quantize behind them
    // is dropped, and values differ from those of the reference graph.
    bool chosen_qparams = false;
    // Unless it is null, gets the ops that still compute in float afterwards,
    // in order of execution, and why.
    std::vector<std::pair<const torch::jit::Node*, std::string>>* float_ops =
        nullptr;
  };

  FoldReferenceQuantization() = default;
  explicit FoldReferenceQuantization(Options options)
      : options_(std::move(options)) {}

  absl::string_view name() const override {
    return "fold-reference-quantization";
  }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

 private:
  Options options_;
};

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_REFERENCE_QUANTIZATION_H_
