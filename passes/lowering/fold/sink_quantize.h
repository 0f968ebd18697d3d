// Moves quantize ops from behind a prim::If into its arms, where they can be
// folded.
#ifndef PASSES_LOWERING_FOLD_SINK_QUANTIZE_H_
#define PASSES_LOWERING_FOLD_SINK_QUANTIZE_H_

#include "passes/lowering/fold/fold_editor.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Moves each quantize of an output of `node`, a prim::If, to the ends of both
// arms. Scripted F.interpolate and instance norms are such prim::Ifs, which ask
// for the rank of their input. Does nothing for other nodes.
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
// Returns whether a quantize moved. One stays when the output has other users
// or is written to in place, when %scale, %zero_point or %dtype is not defined
// in front of `node`, and when the output comes in neither arm from an op that
// a quantize may be folded with (MayBeQuantized of quantized_ops.h).
bool SinkQuantize(FoldEditor& editor, torch::jit::Node* node);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_SINK_QUANTIZE_H_
