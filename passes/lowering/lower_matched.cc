#include "passes/lowering/lower_matched.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/analysis/saturation_check.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/matching/matches/match_follower.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

void SetNumerics(Graph& graph, kernels::SaturationMode numerics) {
  for (const CheckedNode& layer : CheckSaturation(graph)) {
    const std::optional<FbgemmLayer> old = LayerOf(*layer.node);
    if (old->saturation_mode() != numerics) {
      torch::jit::WithInsertPoint in_front(layer.node);
      layer.node->replaceInput(
          1, graph.insertConstant(old->With(numerics).ToIValue()));
    }
  }
}

}  // namespace

absl::Status LowerMatched(ModelGraph& b, MatchResult& matches,
                          kernels::SaturationMode numerics,
                          PassContext& context) {
  MatchFollower follower(matches);
  const ScopedReplacementListener listener(
      context,
      [&follower](const torch::jit::Value& old, torch::jit::Value& now) {
        follower.Replaced(old, now);
      });
  LowerToFbgemmOptions options;
  options.numerics = numerics;
  options.fuse = false;
  NS_RETURN_IF_ERROR(LowerToFbgemm(options).Run(b, context).status());
  if (!follower.Follow(b.graph())) {
    return absl::InternalError("lowering has lost a matched node");
  }
  return CatchTorchErrors("lowering",
                          [&] { SetNumerics(b.graph(), numerics); });
}

}  // namespace ns
