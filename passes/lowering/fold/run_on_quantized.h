// Lets float ops run on quantized tensors where they give the same values.
#ifndef PASSES_LOWERING_FOLD_RUN_ON_QUANTIZED_H_
#define PASSES_LOWERING_FOLD_RUN_ON_QUANTIZED_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Where `node` takes a dequantized tensor, and is an exact op
// (OpOnQuantized::is_exact in ops_on_quantized.h), lets it run on the quantized
// tensor, and dequantizes what it gives:
//
//   %d = aten::dequantize(%q)
//   %y = aten::chunk(%d, %two, %one)
//   %a, %b = prim::ListUnpack(%y)
// becomes
//   %z = aten::chunk(%q, %two, %one)
//   %c, %e = prim::ListUnpack(%z)
//   %a = aten::dequantize(%c)
//   %b = aten::dequantize(%e)
//
// Returns whether it did so: `node`, and the nodes that took its list apart,
// are then dropped (FoldEditor::DropUnused). Where `node` is such an op, but
// something about this call forbids it, such as an op in place, it is rejected
// with the reason (FoldEditor::Reject).
bool RunOnQuantized(FoldEditor& editor, torch::jit::Node* node);

// Returns a copy of `node` that takes `quantized` in place of its first input.
// `node` is an exact op, or takes apart the list that one gives. Where LibTorch
// has no quantized kernel for the op, the copy is of an ns op
// (OpOnQuantized::ns_op). The caller inserts the copy into the graph.
torch::jit::Node* CloneOnQuantized(FoldEditor& editor, torch::jit::Node* node,
                                   torch::jit::Value* quantized);

// Where `node` only reads the shape of a dequantized tensor (AsksForShape, such
// as aten::size), lets it read that of the quantized tensor instead. The
// dequantize is dropped when nothing else uses it. Returns whether `node` was
// changed.
bool AskQuantizedForShape(FoldEditor& editor, torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_RUN_ON_QUANTIZED_H_
