#include "passes/quantization/layers/fold_batch_norms.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/batch_norm.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/ops/fusion_patterns.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr absl::string_view kFails = "folding it fails";

void ReplaceByConstant(Node* node, absl::string_view name,
                       const at::Tensor& constant) {
  torch::jit::WithInsertPoint before(node);
  const auto inputs = node->inputs();
  const auto* const at =
      std::find(inputs.begin(), inputs.end(), InputNamed(*node, name));
  node->replaceInput(at - inputs.begin(),
                     node->owningGraph()->insertConstant(constant));
}

bool TakesBatchNorm(const Node& node) {
  const std::string family(OpRelations().FamilyOf(node));
  return FusesWith(family, family, "batch_norm") &&
         InputNamed(node, "weight") != nullptr &&
         InputNamed(node, "bias") != nullptr;
}

absl::Status Fold(GraphEditor& editor, Node* batch_norm) {
  Value* input = batch_norm->input(0);
  Node* base = input->node();
  if (!TakesBatchNorm(*base)) {
    return Refusal("no convolution or linear layer is in front of it");
  }
  if (OnlyUser(*input) != batch_norm) {
    return Refusal("what it normalizes is used elsewhere, too");
  }
  return FoldBatchNormInto(editor, base, batch_norm);
}

}  // namespace

absl::Status FoldBatchNormInto(GraphEditor& editor, Node* base,
                               Node* batch_norm) {
  if (!TakesBatchNorm(*base)) {
    return Refusal(absl::StrCat(OpName(*base), " takes no batch norm"));
  }
  NS_ASSIGN_OR_RETURN(
      const at::Tensor weight,
      ConstantTensorInput(*base, "weight", "the layer's weight"));
  NS_ASSIGN_OR_RETURN(at::Tensor bias,
                      ConstantTensorInput(*base, "bias", "the layer's bias"));
  if (!weight.defined()) {
    return Refusal("the layer's weight is None");
  }
  NS_ASSIGN_OR_RETURN(const BatchNorm norm, BatchNormOf(*batch_norm));
  if (!bias.defined()) {
    bias = at::zeros_like(norm.mean);
  }
  if (bias.sizes() != norm.mean.sizes()) {
    return Refusal("its channels are not those of the layer");
  }
  const absl::StatusOr<at::Tensor> folded_weight =
      FoldBatchNorm(weight, *base, *batch_norm);
  NS_RETURN_IF_ERROR(RefusalOf(kFails, folded_weight.status()));
  const NormedLayer layer = base->kind() == c10::aten::linear
                                ? NormedLayer::kLinear
                                : NormedLayer::kConv;
  const absl::StatusOr<at::Tensor> folded_bias =
      BatchNormBias(bias, norm, layer);
  NS_RETURN_IF_ERROR(RefusalOf(kFails, folded_bias.status()));
  ReplaceByConstant(base, "weight", *folded_weight);
  ReplaceByConstant(base, "bias", *folded_bias);
  editor.Replace(*batch_norm->output(), *base->output());
  batch_norm->destroy();
  return absl::OkStatus();
}

namespace {

bool IsBetweenTransposedAndRelu(const Node& batch_norm) {
  const OpRow* row = FindOp(OpName(*batch_norm.input(0)->node()));
  const Node* user = OnlyUser(*batch_norm.output());
  return row != nullptr && row->family_row->facts.weight_channel_dim != 0 &&
         user != nullptr && user->kind() == c10::aten::relu;
}

}  // namespace

absl::StatusOr<bool> FoldBatchNorms::Run(ModelGraph& model,
                                         PassContext& context) const {
  bool changed = false;
  GraphEditor editor(model.graph(), &context);
  ForEachNodeInnermostFirst(model.graph().block(), [&](Node* node) {
    if (node->kind() != c10::aten::batch_norm ||
        (options_.compat && IsBetweenTransposedAndRelu(*node))) {
      return;
    }
    const absl::Status status = Fold(editor, node);
    if (status.ok()) {
      changed = true;
    } else {
      context.Remark(*node, status.message());
    }
  });
  return changed;
}

}  // namespace ns
