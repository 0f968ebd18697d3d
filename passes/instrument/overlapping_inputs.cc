#include "passes/instrument/overlapping_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
using Values = std::vector<Value*>;

// The clones of `inputs` between `before` and the start of `shadow`.
std::vector<Node*> ClonesOf(const Values& inputs, const Subgraph& shadow,
                            Node* before) {
  std::vector<Node*> clones;
  for (Node* node = before->next(); node != shadow.start; node = node->next()) {
    if (node->kind() == c10::aten::clone &&
        absl::c_linear_search(inputs, node->input(0))) {
      clones.push_back(node);
    }
  }
  return clones;
}

}  // namespace

void CopyInputsTogether(const Values& inputs, const Subgraph& shadow,
                        Node* before) {
  const std::vector<Node*> clones = ClonesOf(inputs, shadow, before);
  if (clones.size() < 2) {
    return;
  }
  Values originals;
  for (const Node* clone : clones) {
    originals.push_back(const_cast<Value*>(clone->input(0)));
  }
  Graph& graph = *shadow.start->owningGraph();
  const c10::TypePtr type = c10::TensorType::get();
  Node* list = graph.createList(type, originals)->insertBefore(clones.front());
  Node* copied = graph
                     .create(c10::Symbol::fromQualString("ns::copy_together"),
                             {list->output()})
                     ->insertAfter(list);
  copied->output()->setType(c10::ListType::ofTensors());
  Node* unpacked = graph.createListUnpack(copied->output(), clones.size())
                       ->insertAfter(copied);
  for (size_t i = 0; i < clones.size(); ++i) {
    clones[i]->output()->replaceAllUsesWith(unpacked->output(i));
    clones[i]->destroy();
  }
}

}  // namespace ns
