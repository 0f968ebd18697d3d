// From LibTorch's quantized ops to ns kernels, which compute what fbgemm does.
#ifndef PASSES_LOWERING_LOWER_TO_FBGEMM_H_
#define PASSES_LOWERING_LOWER_TO_FBGEMM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/pass.h"
#include "passes/kernels/saturation_mode.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

struct LowerToFbgemmOptions {
  // Whose answers layers give (kernels/saturation_mode.h).
  kernels::SaturationMode numerics = kernels::SaturationMode::kExact;
  // Whether activations move into layers, and dequantize with quantize becomes
  // requantize. Outputs are the same without.
  bool fuse = true;
  // With `fuse`, also fuse a conv2d into the add behind it, and quantize their
  // sum once. That is nearer to the float model, and other than what fbgemm
  // answers; nothing in a float model corresponds to the fused op.
  bool fuse_sums = false;
};

// How many ops of `graph`, inside control flow too, are ns kernels.
int64_t CountLoweredOps(const torch::jit::Graph& graph);

// Rewrites the quantized ops of a graph, inside prim::If and prim::Loop too, as
// the lowering table says. Packed parameters are unpacked and packed again,
// once for each object, into constants.
//
//   %packed : Conv2dPackedParamsBase = prim::Constant[value=object]()
//   %y = quantized::conv2d(%x, %packed, %scale, %zero_point)
//   %z = aten::hardtanh_(%y, %min, %max)
// becomes
//   %layer : ns.FbgemmConv = prim::Constant[value=object]()
//   %z = ns::fbgemm_conv2d_clamp(%x, %layer, %scale, %zero_point, %min, %max)
//
// relu and clamp move into the convolution or linear layer whose output only
// they use. What is dequantized and quantized again is requantized, or passed
// on when the parameters are the same. Names and module paths stay.
//
// Quantized ops that stay are remarked on. The context hears what takes the
// place of each op before it is fused.
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
