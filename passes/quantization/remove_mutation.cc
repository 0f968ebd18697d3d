#include "passes/quantization/remove_mutation.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/remove_mutation.h>

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ir/graph_walk.h"
#include "ir/node_view.h"
#include "passes/rewrite/idle_dropouts.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether `user` reads a list, its first input, and keeps no hold of it.
bool ReadsList(const Node& user) {
  static constexpr absl::string_view kReaders[] = {
      "aten::cat", "aten::len", "aten::stack", "aten::__getitem__",
      "prim::ListUnpack"};
  return absl::c_linear_search(kReaders, OpName(user));
}

bool Appends(const Node& user) {
  return OpName(user) == "aten::append" && user.output()->uses().empty();
}

// The nodes that use `list`, in order of execution; none when there is anything
// else than appending and reading, in the block of the list.
std::vector<Node*> UsersOfGrowingList(const Value& list) {
  std::vector<Node*> users;
  bool grows = false;
  for (const torch::jit::Use& use : list.uses()) {
    if (use.offset != 0 ||
        use.user->owningBlock() != list.node()->owningBlock() ||
        !(Appends(*use.user) || ReadsList(*use.user))) {
      return {};
    }
    grows = grows || Appends(*use.user);
    users.push_back(use.user);
  }
  if (!grows) {
    return {};
  }
  std::sort(users.begin(), users.end(), [](const Node* a, const Node* b) {
    return a != b && a->isBefore(b);
  });
  return users;
}

void NameEachLength(Graph& graph, Node* list) {
  Value* current = list->output();
  std::vector<Value*> elements = list->inputs().vec();
  for (Node* user : UsersOfGrowingList(*list->output())) {
    if (!Appends(*user)) {
      user->replaceInput(0, current);
      continue;
    }
    elements.push_back(user->input(1));
    Node* longer = graph.createList(c10::TensorType::get(), elements);
    longer->insertAfter(user)->copyMetadata(user);
    current = longer->output();
    user->destroy();
  }
}

}  // namespace

void RemoveMutation(const std::shared_ptr<Graph>& graph) {
  ReplaceIdleDropouts(*graph);
  torch::jit::RemoveTensorMutation(graph);
  std::vector<Node*> lists;
  ForEachNode(graph->block(), [&](Node* node) {
    if (node->kind() == c10::prim::ListConstruct &&
        IsTensorList(*node->output())) {
      lists.push_back(node);
    }
  });
  for (Node* list : lists) {
    NameEachLength(*graph, list);
  }
}

}  // namespace ns
