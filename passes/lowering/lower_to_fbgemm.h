// From LibTorch's quantized ops to kernels of ours, with fbgemm's answers.
#ifndef PASSES_LOWERING_LOWER_TO_FBGEMM_H_
#define PASSES_LOWERING_LOWER_TO_FBGEMM_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "passes/kernels/numerics.h"
#include "passes/lowering/lowering_report.h"

namespace torch::jit {
struct Graph;
struct Node;
}  // namespace torch::jit

namespace ns {

struct LowerToFbgemmOptions {
  // Whose answers layers give (kernels/numerics.h).
  kernels::Numerics numerics = kernels::Numerics::kExact;
  // Whether activations move into layers, and dequantize with quantize becomes
  // requantize. Outputs are the same without.
  bool fuse = true;
  // With `fuse`, also fuse a conv2d into the add behind it, and quantize their
  // sum once. That is nearer to the float model, and other than what fbgemm
  // answers; nothing in a float model corresponds to the fused op.
  bool fuse_sums = false;
};

struct LoweringReport {
  // Nodes that are ops of ours now, after fusion.
  int64_t lowered = 0;
  // Quantized ops that stayed, in order of execution, and why.
  std::vector<LoweringRemark> kept;
  // What took the place of each node, which is gone, before fusion.
  absl::flat_hash_map<const torch::jit::Node*, torch::jit::Node*> replacements;
};

// Rewrites the quantized ops of `graph`, inside prim::If and prim::Loop too, as
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
// Error: a graph that LibTorch cannot rewrite; the graph is then well formed,
// and some of it may be lowered.
absl::StatusOr<LoweringReport> LowerToFbgemm(
    torch::jit::Graph& graph, const LowerToFbgemmOptions& options = {});

}  // namespace ns

#endif  // PASSES_LOWERING_LOWER_TO_FBGEMM_H_
