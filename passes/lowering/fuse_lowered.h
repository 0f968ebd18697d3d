// Fuses ns ops of a lowered graph: activations, requantization and sums move
// into the ops in front of them.
#ifndef PASSES_LOWERING_FUSE_LOWERED_H_
#define PASSES_LOWERING_FUSE_LOWERED_H_

#include "absl/status/status.h"

namespace ns {

class GraphEditor;

// Fuses these ns ops in the editor's graph. In place of fbgemm_conv2d, there
// may be any static convolution or linear layer:
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
//   %z = ns::fbgemm_relu(%y)           # or ns::fbgemm_clamp(%y, %min, %max)
// becomes, when nothing else uses %y,
//   %z = ns::fbgemm_conv2d_relu(%x, %layer, %scale, %zero_point)
//   # or ns::fbgemm_conv2d_clamp(%x, %layer, %scale, %zero_point, %min, %max)
//
//   %d = ns::fbgemm_dequantize(%q)
//   %r = ns::fbgemm_quantize(%d, %scale, %zero_point)
// becomes
//   %r = ns::fbgemm_requantize(%q, %scale, %zero_point)
// or %q, when that is known to have this scale and zero point already and no op
// of the graph works in place.
//
// A clamp is fused only when its bounds are constant, and a dequantize is
// skipped only when no op in between works in place. Outputs do not change by a
// bit. Nodes that nothing uses any more stay, for dead-code elimination.
// Error: that of an op that does not take its arguments, as in a malformed
// graph.
absl::Status FuseLowered(GraphEditor& editor);

// Fuses a sum into the convolution that gives one of its operands. FuseLowered
// must have run on the editor's graph before:
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %y_scale, %y_zero_point)
//   %z = ns::fbgemm_add_relu(%y, %other, %scale, %zero_point)
// becomes, when nothing else uses %y,
//   %z = ns::fbgemm_conv2d_add_relu(%x, %layer, %other, %scale, %zero_point)
//
// which does not round %y to its quantized values, nor clip it to their range:
// outputs change. Where both operands are convolutions, the later one is fused.
// A sum stays when an op between it and the convolution works in place. Nodes
// without users and errors are as for FuseLowered.
absl::Status FuseSums(GraphEditor& editor);

}  // namespace ns

#endif  // PASSES_LOWERING_FUSE_LOWERED_H_
