// Makes the float side of a comparison fast, by fusing its convolutions.
#ifndef PASSES_INSTRUMENT_PAIR_FUSE_FLOAT_CONVS_H_
#define PASSES_INSTRUMENT_PAIR_FUSE_FLOAT_CONVS_H_

#include "absl/status/status.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseSet.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the nodes of `graph` that compute a convolution of two dimensions, as
// far as their op tells.
llvm::DenseSet<torch::jit::Node*> ConvolutionsOf(torch::jit::Graph& graph);

// Lets every 2d convolution among `convolutions`, nodes of `host`, run with the
// batch norm behind it folded in, and with channels last:
//
//   %1 = aten::conv2d(%x, %weight, %bias, ...)
//   %2 = aten::batch_norm(%1, ...)
// becomes
//   %conv = prim::GetAttr[name="ns_float_conv_0"](%self)
//   %2 = prim::CallMethod[name="forward"](%conv, %x)
//
// Values stay within 1e-4 of what they were, relative to their norm. The layout
// of these outputs, and of what is computed from them, changes: each aten::view
// there becomes aten::reshape, which takes any layout.
//
// Left as they are: a batch norm of a value that something else uses;
// convolutions whose parameters are no constants, or not float32; all of them
// where another op (as_strided, stride, ...) depends on such a layout, or one
// writes to what such a view shares memory with.
//
// Error: a batch norm whose parameters do not fit the channels of its
// convolution. Convolutions before it may be fused then.
absl::Status FuseFloatConvs(
    ModelGraph& host, const llvm::DenseSet<torch::jit::Node*>& convolutions);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_FUSE_FLOAT_CONVS_H_
