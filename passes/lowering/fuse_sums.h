// Fuses sums of a lowered graph into the layers before them, which then give
// their outputs to the sum without rounding them.
#ifndef PASSES_LOWERING_FUSE_SUMS_H_
#define PASSES_LOWERING_FUSE_SUMS_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace ns {

class GraphEditor;
class PassContext;

// The layers that FuseSums fuses.
enum class SummedLayers {
  kConv2d,  // fbgemm_conv2d
  kAll,     // also fbgemm_conv1d, fbgemm_conv3d and fbgemm_linear
};

// Fuses a sum, fbgemm_add or fbgemm_add_relu, into the layer that gives one of
// its operands, and returns how many sums were fused:
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %y_scale, %y_zero_point)
//   %z = ns::fbgemm_add_relu(%y, %other, %scale, %zero_point)
// becomes, when nothing else uses %y,
//   %z = ns::fbgemm_conv2d_add_relu(%x, %layer, %other, %scale, %zero_point)
//
// which does not round %y to its quantized values, nor clip it to their range:
// outputs change. Where both operands are such layers, the one that runs later
// is fused. A sum stays when an op between it and the layer works in place.
//
// Layers whose outputs are rounded before a sum get a remark in `context`,
// unless that is null. Call FuseLowered (passes/lowering/fuse_lowered.h) first:
// a sum that takes a tensor which is dequantized and quantized again is found
// only when that pair is gone. Error: the schema of the new op does not take
// the arguments, as in a malformed graph.
absl::StatusOr<int64_t> FuseSums(GraphEditor& editor, SummedLayers layers,
                                 PassContext* context);

}  // namespace ns

#endif  // PASSES_LOWERING_FUSE_SUMS_H_
