// Folds a float op between dequantize and quantize into one quantized op.
#ifndef PASSES_LOWERING_FOLD_FOLD_QUANTIZE_H_
#define PASSES_LOWERING_FOLD_FOLD_QUANTIZE_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Replaces `quantize`, an aten::quantize_per_tensor, and the float op in front
// of it by a quantized op:
//
//   %d = aten::dequantize(%q)
//   %h = aten::hardswish(%d)
//   %y = aten::quantize_per_tensor(%h, %scale, %zero_point, %dtype)
// becomes
//   %y = quantized::hardswish(%q, %scale, %zero_point)
//
// When there is no op between dequantize and quantize, and the qparams are the
// same, %y becomes %q. An op between them that only moves elements runs on the
// quantized tensor afterwards:
//
//   %h = aten::hardswish(%d)
//   %t = aten::squeeze(%h)
//   %y = aten::quantize_per_tensor(%t, %scale, %zero_point, %dtype)
// becomes
//   %z = quantized::hardswish(%q, %scale, %zero_point)
//   %y = aten::squeeze(%z)
//
// A scale and a zero point that are constant tensors become numbers, whether
// `quantize` is replaced or stays.
//
// Returns whether `quantize` was replaced. When it could not be, the editor
// notes the reason as the rejection of the float op.
bool FoldQuantize(FoldEditor& editor, torch::jit::Node* quantize);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_QUANTIZE_H_
