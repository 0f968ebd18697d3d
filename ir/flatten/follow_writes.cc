#include "ir/flatten/follow_writes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "ir/graph/control_flow.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Use;

// True for ops that write to their first input and return it.
bool GivesWhatItWrites(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (schema == nullptr || schema->arguments().empty() ||
      schema->returns().size() != 1 || !IsTensor(*node.inputs()[0])) {
    return false;
  }
  const c10::AliasInfo* written = schema->arguments()[0].alias_info();
  const c10::AliasInfo* given = schema->returns()[0].alias_info();
  return written != nullptr && given != nullptr && written->isWrite() &&
         written->beforeSets() == given->beforeSets();
}

// True when `node` always runs before `user` on the same trip.
bool RunsBehind(const Node& user, const Node& node) {
  return &user != &node && IsWithin(user, *node.owningBlock()) &&
         RunsBefore(node, user);
}

}  // namespace

bool FollowWrites(torch::jit::Graph& graph) {
  bool changed = false;
  ForEachNodeInnermostFirst(graph.block(), [&](Node* node) {
    if (!GivesWhatItWrites(*node)) {
      return;
    }
    const std::vector<Use> uses = node->input(0)->uses();
    for (const Use& use : uses) {
      if (RunsBehind(*use.user, *node)) {
        use.user->replaceInput(use.offset, node->output());
        changed = true;
      }
    }
  });
  return changed;
}

}  // namespace ns
