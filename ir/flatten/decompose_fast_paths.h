// Replaces the ops that compute a whole attention or encoder layer by their
// parts.
#ifndef IR_FLATTEN_DECOMPOSE_FAST_PATHS_H_
#define IR_FLATTEN_DECOMPOSE_FAST_PATHS_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces aten::_native_multi_head_attention and
// aten::_transformer_encoder_layer_fwd, which tracing records without a slow
// branch (see ir/flatten/skip_fast_paths.h), by the ops that compute the same:
//
//   %y : Tensor, %w : Tensor = aten::_native_multi_head_attention(%x, %x, %x,
//       %features, %heads, %w, %b, %out_w, %out_b, %mask, %true, %true, %type)
// becomes
//   %qkv : Tensor = aten::linear(%x, %w, %b)
//   %parts : Tensor[] = aten::chunk(%qkv, 3, -1)
//   ...
//   %attention : Tensor = aten::softmax(%scores, -1, None)
//   ...
//   %y : Tensor = aten::linear(%joined, %out_w, %out_b)
//
// The linear layers and norms of an encoder layer get the module paths that
// they have in nn.TransformerEncoderLayer. An op is kept
// - where the numbers that shape it are not constant;
// - with a mask of another kind than PyTorch's modules pass;
// - where its weights are read without being computed, which gives an undefined
//   tensor;
// - where the graph makes nested tensors.
// Returns whether any op was replaced.
bool DecomposeFastPaths(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_DECOMPOSE_FAST_PATHS_H_
