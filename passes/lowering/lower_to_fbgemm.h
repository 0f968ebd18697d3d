// Lowers a quantized graph: LibTorch's quantized ops become ns ops, whose
// kernels compute what fbgemm does.
#ifndef PASSES_LOWERING_LOWER_TO_FBGEMM_H_
#define PASSES_LOWERING_LOWER_TO_FBGEMM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "passes/kernels/saturation_mode.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

struct LowerToFbgemmOptions {
  // How sums of int16 pairs behave in layers: exact, or saturating as fbgemm's
  // do (kernels/saturation_mode.h).
  kernels::SaturationMode numerics = kernels::SaturationMode::kExact;
  // Whether activations move into layers, and a dequantize with a quantize
  // behind it becomes a requantize. Outputs do not depend on this.
  bool fuse = true;
  // With `fuse`, whether a conv2d is also fused with the add behind it, so that
  // their sum is quantized once. The output is then nearer to the float model,
  // and not what fbgemm computes; nothing in a float model corresponds to the
  // fused op.
  bool fuse_sums = false;
};

// Returns the number of ns ops in `graph`, inside control flow too.
int64_t CountLoweredOps(const torch::jit::Graph& graph);

// Replaces the quantized ops of a graph, inside prim::If and prim::Loop too, by
// ns ops, as lowered_ops.h says. Packed parameters are unpacked and packed
// again for ns kernels, once for each object, and become constants.
//
//   %packed : Conv2dPackedParamsBase = prim::Constant[value=object]()
//   %y = quantized::conv2d(%x, %packed, %scale, %zero_point)
//   %z = aten::hardtanh_(%y, %min, %max)
// becomes
//   %layer : ns.FbgemmConv = prim::Constant[value=object]()
//   %z = ns::fbgemm_conv2d_clamp(%x, %layer, %scale, %zero_point, %min, %max)
//
// A relu or clamp moves into the convolution or linear layer whose output only
// it uses. A tensor that is dequantized and quantized again is requantized, or
// passed on when the qparams are the same. Names and module paths stay.
//
// The input of a dynamic layer is rounded as fbgemm does or, with the numerics
// kExact while LibTorch's quantized engine is onednn, as onednn does
// (DynamicRounding in runtime/fbgemm_ops/quantize_dynamically.h).
//
// Each quantized op that stays gets a remark. Listeners of the context are told
// the replacement of each op before fusion, too.
//
// Error: a graph that LibTorch cannot rewrite; the graph is then well formed,
// and some of it may be lowered.
class LowerToFbgemm final : public Pass {
 public:
  explicit LowerToFbgemm(const LowerToFbgemmOptions& options = {})
      : options_(options) {}
  absl::string_view name() const override { return "lower-to-fbgemm"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

 private:
  const LowerToFbgemmOptions options_;
};

}  // namespace ns

#endif  // PASSES_LOWERING_LOWER_TO_FBGEMM_H_
