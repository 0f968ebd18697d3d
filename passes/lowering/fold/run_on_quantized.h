// Lets float ops run on quantized tensors where they give the same values.
#ifndef PASSES_LOWERING_FOLD_RUN_ON_QUANTIZED_H_
#define PASSES_LOWERING_FOLD_RUN_ON_QUANTIZED_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Moves the dequantize in front of `node` behind it, when `node` is an exact op
// (OpOnQuantized::is_exact):
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
// Returns whether `node` was replaced. When its call does not allow it, the
// editor notes the reason as its rejection.
bool RunOnQuantized(FoldEditor& editor, torch::jit::Node* node);

// Returns a copy of `node`, an exact op, with `quantized` as its first input.
// The copy is in no block yet.
torch::jit::Node* CloneOnQuantized(FoldEditor& editor, torch::jit::Node* node,
                                   torch::jit::Value* quantized);

// Lets an op that asks for the shape of a dequantized tensor ask the quantized
// tensor instead, so that nothing uses the dequantize. Returns whether `node`
// was changed.
bool AskQuantizedForShape(FoldEditor& editor, torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_RUN_ON_QUANTIZED_H_
