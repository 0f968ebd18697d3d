#include "passes/analysis/subgraph_bias.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/batch_norm.h"
#include "passes/analysis/constant_affine.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/packed_layers.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

using OptionalTensor = std::optional<at::Tensor>;

// Returns the bias of one op; undefined where it has none.
absl::StatusOr<OptionalTensor> NodeBias(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  if (row == nullptr) {
    return std::nullopt;
  }
  switch (row->weight_form) {
    case WeightForm::kPackedLinear:
      if (const auto packed = ConstantOf(*node.input(row->weight_input))) {
        NS_ASSIGN_OR_RETURN(const LinearLayer layer, UnpackLinear(*packed));
        return layer.bias;
      }
      return std::nullopt;
    case WeightForm::kPackedConv:
      if (const auto packed = ConstantOf(*node.input(row->weight_input))) {
        NS_ASSIGN_OR_RETURN(
            const ConvLayer layer,
            UnpackConv(*packed, absl::EndsWith(row->family, "1d")));
        return layer.bias;
      }
      return std::nullopt;
    case WeightForm::kTensor: {
      const auto bias = ConstantArgument(node, "bias");
      if (bias && bias->isTensor()) {
        return bias->toTensor();
      }
      return bias && bias->isNone() ? OptionalTensor(at::Tensor())
                                    : std::nullopt;
    }
    default: {
      NS_ASSIGN_OR_RETURN(const at::Tensor bias, RecurrentBias(node));
      return bias.defined() ? OptionalTensor(bias) : std::nullopt;
    }
  }
}

// Returns `bias`, undefined for none, times the scales of the FoldableAffines
// of `subgraph`, plus their shifts.
absl::StatusOr<at::Tensor> WithAffines(at::Tensor bias,
                                       const Subgraph& subgraph) {
  const std::vector<const Node*> affines = FoldableAffines(subgraph);
  if (affines.empty()) {
    return bias;
  }
  return CatchTorchErrors("folding a constant", [&] {
    at::Tensor folded =
        bias.defined() ? bias.to(at::kDouble) : at::zeros({1}, at::kDouble);
    for (const Node* node : affines) {
      const auto affine =
          ConstantAffineOf(*node, *SpatialDimsOfConv(*subgraph.base));
      folded = folded * affine->scale + affine->shift;
    }
    return folded.to(at::kFloat);
  });
}

}  // namespace

absl::StatusOr<OptionalTensor> SubgraphBias(const Subgraph& subgraph) {
  if (subgraph.base == nullptr) {
    return std::nullopt;
  }
  NS_ASSIGN_OR_RETURN(OptionalTensor bias, NodeBias(*subgraph.base));
  const Node* previous = nullptr;
  for (const Node* node : subgraph.nodes) {
    const bool follows_base = previous == subgraph.base;
    previous = node;
    if (!bias || node->kind() != c10::aten::batch_norm || !follows_base) {
      continue;
    }
    const absl::StatusOr<BatchNorm> norm = BatchNormOf(*node);
    if (!norm.ok()) {
      return std::nullopt;  // It computes its statistics as it runs.
    }
    NS_ASSIGN_OR_RETURN(
        bias, BatchNormBias(
                  bias->defined() ? *bias : at::zeros_like(norm->mean), *norm,
                  absl::StrContains(OpName(*subgraph.base), "linear")
                      ? NormedLayer::kLinear
                      : NormedLayer::kConv));
  }
  if (bias) {
    NS_ASSIGN_OR_RETURN(bias, WithAffines(*bias, subgraph));
  }
  return bias;
}

}  // namespace ns
