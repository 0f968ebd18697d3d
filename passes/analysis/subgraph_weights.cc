#include "passes/analysis/subgraph_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/constant_argument.h"
#include "passes/analysis/batch_norm.h"
#include "passes/analysis/constant_affine.h"
#include "passes/ops/op_families.h"
#include "passes/ops/op_relations.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Returns the factor that `batch_norm` has for each output channel; undefined
// when its statistics are not constant. A norm in training is taken with the
// statistics that it has gathered so far.
absl::StatusOr<at::Tensor> ScaleOf(const Node& batch_norm) {
  const auto variance = ConstantArgument(batch_norm, "running_var");
  const auto eps = ConstantArgument(batch_norm, "eps");
  if (!variance || !variance->isTensor() || !eps || !eps->isDouble()) {
    return at::Tensor();
  }
  const auto gamma = ConstantArgument(batch_norm, "weight");
  return BatchNormScale(
      variance->toTensor(), eps->toDouble(),
      gamma && gamma->isTensor() ? gamma->toTensor() : at::Tensor());
}

int64_t GroupsOf(const Node& node) {
  const auto groups = ConstantArgument(node, "groups");
  return groups && groups->isInt() ? groups->toInt() : 1;
}

// Returns `weight` times `scale`, output channel by output channel.
at::Tensor Scaled(const at::Tensor& weight, const Node& base,
                  const at::Tensor& scale) {
  const OpFamily* family = FindFamily(OpRelations().FamilyOf(base));
  const bool transposed =
      family != nullptr && family->facts.weight_channel_dim == 1;
  std::vector<int64_t> broadcast(weight.dim(), 1);
  if (!transposed) {
    broadcast[0] = -1;
    return weight * scale.reshape(broadcast);
  }
  // [in, out / groups, ...]: the inputs of group g meet the outputs of group g.
  const int64_t groups = GroupsOf(base);
  broadcast[0] = groups;
  broadcast[1] = -1;
  return weight *
         scale.reshape(broadcast).repeat_interleave(weight.size(0) / groups, 0);
}

// Returns the batch norms of `subgraph`, and the ops with a constant operand,
// that are folded into its weights.
std::vector<const Node*> FoldedNodes(const Subgraph& subgraph) {
  std::vector<const Node*> folded = FoldableAffines(subgraph);
  const Node* previous = nullptr;
  for (const Node* node : subgraph.nodes) {
    // Behind other ops, which are those of a module that is trained with its
    // norm, the scale is in the weight already. The base may be inside a
    // prim::If.
    const bool follows_base =
        previous != nullptr &&
        (previous == subgraph.base || !previous->blocks().empty());
    previous = node;
    if (node->kind() == c10::aten::batch_norm && follows_base) {
      folded.push_back(node);
    }
  }
  return folded;
}

// Returns `weight`, which may be quantized, times the scale of `node`.
absl::StatusOr<at::Tensor> Fold(const at::Tensor& weight,
                                const Subgraph& subgraph, const Node& node) {
  if (node.kind() == c10::aten::batch_norm) {
    return Annotated("folding a batch norm",
                     FoldBatchNorm(weight, *subgraph.base, node));
  }
  return CatchTorchErrors("folding a constant", [&] {
    const auto affine =
        ConstantAffineOf(node, *SpatialDimsOfConv(*subgraph.base));
    const at::Tensor values =
        weight.is_quantized() ? weight.dequantize() : weight;
    std::vector<int64_t> shape(values.dim(), 1);
    shape[0] = -1;
    return values * affine->scale.to(values.scalar_type()).reshape(shape);
  });
}

}  // namespace

absl::StatusOr<at::Tensor> FoldBatchNorm(const at::Tensor& weight,
                                         const Node& base,
                                         const Node& batch_norm) {
  NS_ASSIGN_OR_RETURN(const at::Tensor scale, ScaleOf(batch_norm));
  if (!scale.defined() || weight.dim() < 2) {
    return weight;
  }
  return CatchTorchErrors([&] { return Scaled(weight, base, scale); });
}

absl::StatusOr<std::vector<NamedTensor>> SubgraphWeights(
    const Subgraph& subgraph) {
  NS_ASSIGN_OR_RETURN(std::vector<NamedTensor> weights,
                      NodeWeights(*subgraph.base));
  for (const Node* node : FoldedNodes(subgraph)) {
    for (NamedTensor& weight : weights) {
      NS_ASSIGN_OR_RETURN(weight.value, Fold(weight.value, subgraph, *node));
    }
  }
  return weights;
}

absl::StatusOr<std::vector<at::Tensor>> UnfoldBatchNorms(
    const Subgraph& subgraph, std::vector<at::Tensor> folded) {
  for (const Node* node : FoldedNodes(subgraph)) {
    for (at::Tensor& weight : folded) {
      NS_ASSIGN_OR_RETURN(const at::Tensor scale,
                          Fold(at::ones_like(weight), subgraph, *node));
      NS_ASSIGN_OR_RETURN(weight, CatchTorchErrors([&] {
                            return at::where(scale == 0, at::zeros_like(weight),
                                             weight / scale);
                          }));
    }
  }
  return folded;
}

}  // namespace ns
