// Float ops that give the same when they work on codes.
#ifndef PASSES_LOWERING_FOLD_MOVE_TO_CODES_H_
#define PASSES_LOWERING_FOLD_MOVE_TO_CODES_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Moves the dequantize in front of an exact op (code_ops.h) behind it:
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
// Returns whether `node` is gone. Why it is not is said of it.
bool MoveToCodes(FoldEditor& editor, torch::jit::Node* node);

// `node`, an exact op, on `codes` instead of its first input, and in no block
// yet.
torch::jit::Node* CloneOnCodes(FoldEditor& editor, torch::jit::Node* node,
                               torch::jit::Value* codes);

// Lets an op that asks for the shape of a dequantized tensor ask the codes, so
// that the dequantize may go. Returns whether it did.
bool AskCodesForShape(FoldEditor& editor, torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_MOVE_TO_CODES_H_
