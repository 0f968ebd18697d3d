#include "ir/flatten/pad_nested_tensors.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace aten = ::c10::aten;
namespace prim = ::c10::prim;

// A nested tensor that is made and padded again.
struct NestedTensor {
  Node* make = nullptr;
  Node* pad = nullptr;
  // The prim::If, one of whose arms makes it.
  Node* branch = nullptr;
  size_t arm = 0;
  // Tensor or Tensor?: true where there is padding.
  Value* padding = nullptr;
};

// Pairs each op that makes a nested tensor with the next one that pads one;
// nothing where they do not take turns.
std::optional<std::vector<NestedTensor>> FindPairs(Graph& graph) {
  std::vector<NestedTensor> found;
  bool take_turns = true;
  ForEachNode(graph.block(), [&](Node* node) {
    if (node->kind() == aten::_nested_tensor_from_mask) {
      take_turns = take_turns && (found.empty() || found.back().pad != nullptr);
      found.push_back({node});
    } else if (node->kind() == aten::to_padded_tensor) {
      take_turns = take_turns && !found.empty() && found.back().pad == nullptr;
      if (take_turns) {
        found.back().pad = node;
      }
    }
  });
  if (!take_turns || found.empty() || found.back().pad == nullptr) {
    return std::nullopt;
  }
  return found;
}

// Returns the values that `arm` and the other arm of `branch` give for
// `output`.
Value* OfArm(const NestedTensor& nested, size_t output) {
  return nested.branch->blocks()[nested.arm]->outputs()[output];
}
Value* OfOtherArm(const NestedTensor& nested, size_t output) {
  return nested.branch->blocks()[1 - nested.arm]->outputs()[output];
}

// Whether the padded tensor gets the size of its longest sequence.
bool PadsToLongest(const Node& pad) {
  return pad.inputs().size() < 3 || pad.input(2)->mustBeNone();
}

// Whether the other arm gives the tensor itself where the first one gives the
// nested tensor, and a mask of padding where the first one gives None.
bool FindBranch(NestedTensor& nested) {
  Block* block = nested.make->owningBlock();
  nested.branch = block->owningNode();
  if (nested.branch == nullptr || nested.branch->kind() != prim::If) {
    return false;
  }
  nested.arm = nested.branch->blocks()[0] == block ? 0 : 1;
  bool gives_source = false;
  for (size_t i = 0; i < nested.branch->outputs().size(); ++i) {
    if (OfArm(nested, i) == nested.make->output()) {
      gives_source = OfOtherArm(nested, i) == nested.make->input(0);
    } else if (OfArm(nested, i)->mustBeNone() &&
               OfOtherArm(nested, i)->type()->isSubtypeOf(
                   *c10::OptionalType::ofTensor())) {
      nested.padding = OfOtherArm(nested, i);
    }
  }
  return gives_source && nested.padding != nullptr &&
         nested.branch->isDominatedBy(nested.padding->node()) &&
         nested.pad->isDominatedBy(nested.padding->node());
}

// Returns, at the insertion point, what aten::to_padded_tensor gives when
// `dense`, which is padded already, is nested.
Value* Repad(Graph& graph, Value* dense, Value* padding, Value* number) {
  if (!IsTensor(*padding)) {
    padding = graph.insertUncheckedCast(padding, c10::TensorType::get());
  }
  Value* kept = graph.insert(aten::logical_not, {padding});
  Value* masked = graph.insert(aten::unsqueeze,
                               {graph.insert(aten::logical_not, {kept}), -1});
  Value* filled = graph.insert(aten::masked_fill, {dense, masked, number});
  Value* lengths =
      graph.insert(aten::sum, {kept, std::vector<int64_t>{1}, false});
  Value* longest =
      graph.insert(aten::Int, {graph.insert(aten::max, {lengths})});
  return graph.insert(aten::slice, {filled, 1, 0, longest, 1});
}

void Replace(Graph& graph, const NestedTensor& nested) {
  nested.make->output()->replaceAllUsesWith(nested.make->input(0));
  for (size_t i = 0; i < nested.branch->outputs().size(); ++i) {
    if (OfArm(nested, i)->mustBeNone() &&
        OfOtherArm(nested, i) == nested.padding) {
      nested.branch->blocks()[nested.arm]->replaceOutput(i, nested.padding);
    }
  }
  nested.make->destroy();
  torch::jit::WithInsertPoint at(nested.pad);
  torch::jit::WithCurrentScope scope(graph, nested.pad->scope());
  nested.pad->output()->replaceAllUsesWith(
      Repad(graph, nested.pad->input(0), nested.padding, nested.pad->input(1)));
  nested.pad->destroy();
}

}  // namespace

bool PadNestedTensors(Graph& graph) {
  auto pairs = FindPairs(graph);
  if (!pairs) {
    return false;
  }
  for (NestedTensor& nested : *pairs) {
    if (!PadsToLongest(*nested.pad) || !FindBranch(nested)) {
      return false;
    }
  }
  for (const NestedTensor& nested : *pairs) {
    Replace(graph, nested);
  }
  return true;
}

}  // namespace ns
