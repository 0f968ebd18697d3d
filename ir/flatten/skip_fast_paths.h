// Removes the branches in which PyTorch's attention modules call one op for a
// whole layer.
#ifndef IR_FLATTEN_SKIP_FAST_PATHS_H_
#define IR_FLATTEN_SKIP_FAST_PATHS_H_

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

// True for an op that computes a whole attention or encoder layer:
// aten::_native_multi_head_attention and aten::_transformer_encoder_layer_fwd.
bool IsFastPathOp(const torch::jit::Node& node);

// Whether an op of `graph` makes nested tensors of padded ones, which only the
// fast paths take.
bool MakesNestedTensors(const torch::jit::Graph& graph);

// Lets nn.MultiheadAttention and nn.TransformerEncoderLayer always take their
// slow branch, whose linear layers, matrix products and softmax are ops of
// their own. Before:
//
//   %result : (Tensor, Tensor) = prim::If(%no_reason_against)
//     block0():
//       %y : Tensor, %w : Tensor = aten::_native_multi_head_attention(...)
//       %both : (Tensor, Tensor) = prim::TupleConstruct(%y, %w)
//       -> (%both)
//     block1():
//       -> (%uninitialized)
//   -> (%no_reason_against, %result)
//
// After: %no_reason_against is a constant false. What that makes of the
// branches is left to constant propagation.
//
// Both branches compute the same, up to rounding. A branch is kept
// - unless the other arm gives prim::Uninitialized, which is how TorchScript
//   writes a return from the middle of a function;
// - if the slow branch does not read each parameter of the fast one, as where
//   it was quantized and the fast one was not;
// - where aten::_nested_tensor_from_mask makes nested tensors, which the slow
//   branch does not take (pad_nested_tensors.h removes them before).
// Returns whether any branch was skipped.
bool SkipFastPaths(torch::jit::Graph& graph);

// Removes calls of torch.is_grad_enabled and torch.is_autocast_enabled whose
// results nothing reads, as in the reasons against a branch that was skipped:
// LibTorch's elimination of dead code takes them for side effects. Returns
// whether there were any.
bool RemoveUnreadModes(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_SKIP_FAST_PATHS_H_
