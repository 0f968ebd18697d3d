// Quantize ops behind prim::If.
#ifndef PASSES_LOWERING_FOLD_SINK_QUANTIZE_H_
#define PASSES_LOWERING_FOLD_SINK_QUANTIZE_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Moves a quantize of what only it uses of a prim::If to the ends of both arms,
// next to the ops there: scripted F.interpolate and instance norms are Ifs that
// ask for the rank of their input.
//
//   %x = prim::If(%p)
//     block0():
//       %a = aten::upsample_bilinear2d(%d, ...)
//       -> (%a)
//     block1():
//       -> (%b)
//   %y = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
// becomes
//   %y = prim::If(%p)
//     block0():
//       %a = aten::upsample_bilinear2d(%d, ...)
//       %c = aten::quantize_per_tensor(%a, %scale, %zero_point, %dtype)
//       -> (%c)
//     block1():
//       %e = aten::quantize_per_tensor(%b, %scale, %zero_point, %dtype)
//       -> (%e)
//
// Returns whether it moved any. Nothing moves where no arm ends in an op that a
// quantize may be folded with.
bool SinkQuantize(FoldEditor& editor, torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_SINK_QUANTIZE_H_
