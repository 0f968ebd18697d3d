// Fuses ns ops of a lowered graph: activations and requantization move into the
// ops in front of them.
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
// or %q, when that is known to have this scale and zero point already.
//
// A clamp is fused only when its bounds are constant. Requantize takes the
// place of a pair only when no op between the two works in place; %q does only
// when no op of the whole graph does. Outputs do not change by a bit. Nodes
// that nothing uses any more stay, for dead-code elimination. Error: the schema
// of the new op does not take the arguments, as in a malformed graph.
absl::Status FuseLowered(GraphEditor& editor);

}  // namespace ns

#endif  // PASSES_LOWERING_FUSE_LOWERED_H_
