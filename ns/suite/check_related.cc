#include "ns/suite/check_related.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

bool HasQuantizedOps(const Block* block) {
  return AnyNode(block, [](const Node* node) {
    const OpRow* row = FindOp(OpName(*node));
    return row != nullptr && IsQuantizedOp(*row);
  });
}

bool HoldsWeights(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->weight_form != WeightForm::kNone;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> CheckRelated(
    const ModelGraph& float_model, const ModelGraph& quantized_model,
    const MatchResult& matches) {
  std::vector<std::string> warnings;
  const bool float_has = HasQuantizedOps(float_model.graph().block());
  const bool quantized_has = HasQuantizedOps(quantized_model.graph().block());
  if (float_has && !quantized_has) {
    return absl::InvalidArgumentError(
        "the float model has quantized ops and the quantized model has none; "
        "swap --float and --quantized");
  }
  const auto matched_weights =
      std::count_if(matches.matches.begin(), matches.matches.end(),
                    [](const SubgraphMatch& match) {
                      return HoldsWeights(*match.b.subgraph.base);
                    });
  const auto unmatched_weights = std::count_if(
      matches.unmatched_b.begin(), matches.unmatched_b.end(),
      [](const UnmatchedOp& op) { return HoldsWeights(*op.node); });
  if (matches.matches.empty() ||
      (matched_weights == 0 && unmatched_weights > 0)) {
    return absl::InvalidArgumentError(
        "the models have no layer in common; --quantized must be made from "
        "--float");
  }
  if (!quantized_has) {
    warnings.push_back("the quantized model has no quantized op");
  }
  if (matches.matches.size() < matches.unmatched_b.size()) {
    warnings.push_back(absl::StrCat(
        "only ", matches.matches.size(), " of ",
        matches.matches.size() + matches.unmatched_b.size(),
        " ops of the quantized model are matched; is it made from this float "
        "model?"));
  }
  return warnings;
}

}  // namespace ns
