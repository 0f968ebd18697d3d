#include "passes/quantization/layers/remove_mutation.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/remove_mutation.h>

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/aliasing/out_of_place.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/list_writes.h"
#include "passes/rewrite/equal_out_of_place.h"
#include "passes/rewrite/idle_dropouts.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether `list` only grows, in its own block, and nobody else can see it.
bool OnlyGrows(const Value& list) {
  bool grows = false;
  for (const torch::jit::Use& use : list.uses()) {
    const bool writes = WritesToList(*use.user) && use.offset == 0;
    if (use.user->owningBlock() != list.node()->owningBlock() ||
        (writes && use.user->kind() != c10::aten::append)) {
      return false;
    }
    grows = grows || writes;
  }
  return grows && IsPrivateList(list);
}

// Gives the list that `made` makes a name for each length.
void NameEachLength(Graph& graph, Node* made) {
  std::vector<torch::jit::Use> uses = made->output()->uses();
  std::sort(uses.begin(), uses.end(),
            [](const torch::jit::Use& a, const torch::jit::Use& b) {
              return a.user != b.user && a.user->isBefore(b.user);
            });
  Value* current = made->output();
  std::vector<Value*> elements = made->inputs().vec();
  for (const torch::jit::Use& use : uses) {
    if (!WritesToList(*use.user) || use.offset != 0) {
      use.user->replaceInput(use.offset, current);
      continue;
    }
    elements.push_back(use.user->input(1));
    Node* longer = graph.createList(c10::TensorType::get(), elements);
    longer->insertAfter(use.user)->copyMetadata(use.user);
    current = longer->output();
    use.user->destroy();
  }
}

// Whether `value` is a tensor that an op has just made, which only `user`
// takes.
bool IsOwnTensorOf(const Value& value, const Node& user) {
  const Node& made = *value.node();
  const c10::FunctionSchema* schema = made.maybeSchema();
  return value.uses().size() == 1 && made.owningBlock() == user.owningBlock() &&
         schema != nullptr && !schema->is_mutable() && made.blocks().empty() &&
         absl::c_none_of(schema->returns(), [](const c10::Argument& returned) {
           return returned.alias_info() != nullptr;
         });
}

// Makes ops in place out-of-place that write to a tensor of their own. LibTorch
// does not where the tensor ends up in a list or dict that others are read
// from.
void RemoveOwnWrites(Graph& graph, const EqualOutOfPlace& equal) {
  std::vector<Node*> writers;
  ForEachNode(graph.block(), [&](Node* node) {
    if (node->maybeSchema() != nullptr && node->schema().is_mutable()) {
      writers.push_back(node);
    }
  });
  for (Node* node : writers) {
    if (node->inputs().empty() || !equal.Has(*node) ||
        !IsOwnTensorOf(*node->input(0), *node)) {
      continue;
    }
    if (Node* apart = InsertOutOfPlace(node)) {
      node->output()->replaceAllUsesWith(apart->output());
      node->destroy();
    }
  }
}

}  // namespace

void RemoveMutation(const std::shared_ptr<Graph>& graph) {
  ReplaceIdleDropouts(*graph);
  const EqualOutOfPlace equal(*graph);
  torch::jit::RemoveTensorMutation(
      graph, [&](Node* node) { return equal.Has(*node); });
  RemoveOwnWrites(*graph, equal);
  std::vector<Node*> lists;
  ForEachNode(graph->block(), [&](Node* node) {
    if (node->kind() == c10::prim::ListConstruct &&
        IsTensorList(*node->output())) {
      lists.push_back(node);
    }
  });
  for (Node* list : lists) {
    if (OnlyGrows(*list->output())) {
      NameEachLength(*graph, list);
    }
  }
}

}  // namespace ns
