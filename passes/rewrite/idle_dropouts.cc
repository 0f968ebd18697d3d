#include "passes/rewrite/idle_dropouts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/aliasing/written_in_place.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

// True for a dropout, in place or not, that returns its input itself.
bool IsIdleDropout(const Node& node) {
  absl::string_view op = OpName(node);
  absl::ConsumeSuffix(&op, "_");
  if (op != "aten::dropout" && op != "aten::feature_dropout" &&
      op != "aten::alpha_dropout" && op != "aten::feature_alpha_dropout") {
    return false;
  }
  const std::optional<c10::IValue> train = ConstantOf(*node.input(2));
  return train && train->isBool() && !train->toBool();
}

// Whether an op writes to what `dropout` gives, or to its input afterwards:
// each is the other.
bool IsWrittenAfter(const Node& dropout) {
  return IsWrittenInPlace(*dropout.output()) ||
         absl::c_any_of(
             dropout.input(0)->uses(), [&](const torch::jit::Use& use) {
               return use.offset == 0 && use.user->blocks().empty() &&
                      WorksInPlace(*use.user) && dropout.isBefore(use.user);
             });
}

// Replaces `dropout` by the same op out-of-place.
void ReplaceByOutOfPlace(Graph& graph, Node* dropout) {
  const std::string op(absl::StripSuffix(OpName(*dropout), "_"));
  Node* apart =
      graph.create(c10::Symbol::fromQualString(op), dropout->inputs());
  apart->insertBefore(dropout)->copyMetadata(dropout);
  apart->output()->copyMetadata(dropout->output());
  dropout->output()->replaceAllUsesWith(apart->output());
  dropout->destroy();
}

}  // namespace

bool ReplaceIdleDropouts(Graph& graph) {
  bool changed = false;
  ForEachNodeInnermostFirst(graph.block(), [&](Node* node) {
    if (IsIdleDropout(*node) && absl::EndsWith(OpName(*node), "_")) {
      ReplaceByOutOfPlace(graph, node);
      changed = true;
    }
  });
  ForEachNodeInnermostFirst(graph.block(), [&](Node* node) {
    if (IsIdleDropout(*node) && IsWrittenAfter(*node)) {
      node->output()->replaceAllUsesWith(node->input(0));
      node->destroy();
      changed = true;
    }
  });
  return changed;
}

}  // namespace ns
