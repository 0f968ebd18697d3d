// Float ops between dequantize and quantize.
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
// Where nothing stands between, and the parameters are the same, %y becomes %q.
// Ops that move elements between the two work on codes then:
//
//   %h = aten::hardswish(%d)
//   %t = aten::squeeze(%h)
//   %y = aten::quantize_per_tensor(%t, %scale, %zero_point, %dtype)
// becomes
//   %z = quantized::hardswish(%q, %scale, %zero_point)
//   %y = aten::squeeze(%z)
//
// A scale and a zero point that are constant tensors become numbers, whether
// `quantize` goes or stays.
//
// Returns whether `quantize` is gone. Why it is not is said of the float op.
bool FoldQuantize(FoldEditor& editor, torch::jit::Node* quantize);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_FOLD_QUANTIZE_H_
