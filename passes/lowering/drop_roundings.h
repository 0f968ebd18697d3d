// Drops roundings of a lowered graph that nothing needs: those of values that
// are only dequantized, or only added to others.
#ifndef PASSES_LOWERING_DROP_ROUNDINGS_H_
#define PASSES_LOWERING_DROP_ROUNDINGS_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace ns {

class ModelGraph;
class PassContext;

// How many roundings to quantized values were dropped, by what was rounded.
struct DroppedRoundings {
  // Outputs of convolutions and linear layers that were only dequantized.
  int64_t layer_outputs = 0;
  // Outputs of other ops that were only dequantized, such as sums and
  // activations.
  int64_t other_outputs = 0;
  // Outputs of layers that were only added to another tensor.
  int64_t summands = 0;
};

// Drops the rounding of outputs that are only dequantized, or only added to
// another tensor, in the model's graph. Lowered layers give floats:
//
//   %q = ns::fbgemm_conv2d_relu(%x, %layer, %scale, %zero_point)
//   %d = ns::fbgemm_dequantize(%q)
// becomes, when nothing else uses %q,
//   %d = ns::fbgemm_conv2d_relu_float(%x, %layer)
//
// In place of fbgemm_conv2d_relu, there may be any static convolution or linear
// layer, with relu, a clamp, or neither. Ops that ComputeInFloat takes
// (passes/lowering/compute_in_float.h) run in float, and what they read may be
// a rounding to drop, too:
//
//   %y = ns::fbgemm_linear(%x, %layer, %scale, %zero_point)
//   %q = ns::fbgemm_silu(%y, %scale, %zero_point)
//   %d = ns::fbgemm_dequantize(%q)
// becomes
//   %f = ns::fbgemm_linear_float(%x, %layer)
//   %d = aten::silu(%f)
//
// Last, sums are fused into the layers before them: FuseSums, of all layers
// (passes/lowering/fuse_sums.h).
//
// Values change: they are no longer rounded to multiples of %scale, nor clipped
// to the range of %q. A relu and the bounds of a clamp hold as before, on real
// values. Each quantized value that is still rounded only to be dequantized,
// and each dequantize that reads what no ns op gives, gets a remark.
//
// Call FuseLowered (passes/lowering/fuse_lowered.h) first: it moves activations
// into layers. Error: a graph that LibTorch cannot rewrite; the graph is then
// well formed, and some of its roundings may be dropped.
absl::StatusOr<DroppedRoundings> DropRoundings(ModelGraph& model,
                                               PassContext& context);

}  // namespace ns

#endif  // PASSES_LOWERING_DROP_ROUNDINGS_H_
