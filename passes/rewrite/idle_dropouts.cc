#include "passes/rewrite/idle_dropouts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/graph_walk.h"
#include "ir/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

bool IsIdleDropoutInPlace(const Node& node) {
  const absl::string_view op = OpName(node);
  if (op != "aten::dropout_" && op != "aten::feature_dropout_" &&
      op != "aten::alpha_dropout_" && op != "aten::feature_alpha_dropout_") {
    return false;
  }
  const std::optional<c10::IValue> train = ConstantOf(*node.input(2));
  return train && train->isBool() && !train->toBool();
}

}  // namespace

bool ReplaceIdleDropouts(Graph& graph) {
  bool changed = false;
  ForEachNodeInnermostFirst(graph.block(), [&](Node* node) {
    if (!IsIdleDropoutInPlace(*node)) {
      return;
    }
    const std::string op(absl::StripSuffix(OpName(*node), "_"));
    Node* dropout =
        graph.create(c10::Symbol::fromQualString(op), node->inputs());
    dropout->insertBefore(node)->copyMetadata(node);
    dropout->output()->copyMetadata(node->output());
    node->output()->replaceAllUsesWith(dropout->output());
    node->destroy();
    changed = true;
  });
  return changed;
}

}  // namespace ns
