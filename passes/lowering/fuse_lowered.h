// The fusions that fbgemm's output pipeline can take.
#ifndef PASSES_LOWERING_FUSE_LOWERED_H_
#define PASSES_LOWERING_FUSE_LOWERED_H_

#include "absl/status/status.h"

namespace ns {

class GraphEditor;

// Over the ops of ours in the editor's graph:
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
//   %z = ns::fbgemm_relu(%y)                   # or fbgemm_clamp(%y, %min,
//   %max)
// becomes, when nothing else uses %y,
//   %z = ns::fbgemm_conv2d_relu(%x, %layer, %scale, %zero_point)
//   # or ns::fbgemm_conv2d_clamp(%x, %layer, %scale, %zero_point, %min, %max)
//
//   %d = ns::fbgemm_dequantize(%q)
//   %r = ns::fbgemm_quantize(%d, %scale, %zero_point)
// becomes
//   %r = ns::fbgemm_requantize(%q, %scale, %zero_point)
// or %q, when it has that scale and zero point already.
//
// Bounds of clamps must be constant. Outputs do not change by a bit. What is no
// longer used stays, for dead-code elimination. Error: an op that does not take
// its arguments, as in a malformed graph.
absl::Status FuseLowered(GraphEditor& editor);

// Over the ops of ours in the editor's graph, once FuseLowered has run:
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %y_scale, %y_zero_point)
//   %z = ns::fbgemm_add_relu(%y, %other, %scale, %zero_point)
// becomes, when nothing else uses %y,
//   %z = ns::fbgemm_conv2d_add_relu(%x, %layer, %other, %scale, %zero_point)
//
// which does not round to %y's codes: outputs change. Where both summands are
// convolutions, the later one is fused. As above otherwise.
absl::Status FuseSums(GraphEditor& editor);

}  // namespace ns

#endif  // PASSES_LOWERING_FUSE_LOWERED_H_
