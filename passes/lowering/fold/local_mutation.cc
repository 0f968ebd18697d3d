#include "passes/lowering/fold/local_mutation.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/remove_mutation.h>

#include <memory>

#include "absl/algorithm/container.h"
#include "ir/graph/graph_walk.h"
#include "passes/rewrite/equal_out_of_place.h"
#include "passes/rewrite/idle_dropouts.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether an op computes with dequantized values, directly or behind other ops
// in place. Chains of ops in place are short, so only a few are followed.
bool ComputesWithDequantized(const Node& node) {
  constexpr int kMostOpsInPlace = 8;
  const Node* current = &node;
  for (int i = 0; i < kMostOpsInPlace && !current->inputs().empty(); ++i) {
    if (absl::c_any_of(current->inputs(), [](const Value* input) {
          return input->node()->kind() == c10::aten::dequantize;
        })) {
      return true;
    }
    current = current->input(0)->node();
  }
  return false;
}

bool HasOpsInPlace(const Block* block) {
  return AnyNode(block, [](const Node* node) {
    const c10::FunctionSchema* schema = node->maybeSchema();
    return schema != nullptr && schema->is_mutable() &&
           ComputesWithDequantized(*node);
  });
}

}  // namespace

bool RemoveLocalMutation(torch::jit::Graph& graph) {
  const bool had_dropouts = ReplaceIdleDropouts(graph);
  // RemoveTensorMutation analyses aliases, which is slow, and most graphs have
  // no ops in place. It wants a shared pointer, but does not keep it after the
  // call.
  const std::shared_ptr<torch::jit::Graph> borrowed(
      std::shared_ptr<torch::jit::Graph>(), &graph);
  if (!HasOpsInPlace(graph.block())) {
    return had_dropouts;
  }
  const EqualOutOfPlace equal(graph);
  const bool had_others =
      torch::jit::RemoveTensorMutation(borrowed, [&](Node* node) {
        return ComputesWithDequantized(*node) && equal.Has(*node);
      });
  return had_dropouts || had_others;
}

}  // namespace ns
