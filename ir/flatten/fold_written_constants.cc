#include "ir/flatten/fold_written_constants.h"

#include <ATen/ATen.h>
#include <ATen/core/List.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/aliasing/memory_regions.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// True for types of which each value can be a constant.
bool CanBeConstant(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::BoolType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::TensorType:
      return true;
    case c10::TypeKind::ListType:
      return type.containedTypes()[0]->kind() == c10::TypeKind::IntType;
    default:
      return false;
  }
}

bool IsMutable(const Node& node) {
  return node.maybeSchema() != nullptr && node.schema().is_mutable();
}

class Folder {
 public:
  explicit Folder(Graph& graph) : graph_(graph), regions_(graph) {}

  bool Run() {
    if (!regions_.is_complete()) {
      return false;
    }
    FindComputable();
    if (std::none_of(computable_.begin(), computable_.end(),
                     [](const Node* node) { return IsMutable(*node); })) {
      return false;
    }
    Compute();
    Replace();
    return true;
  }

 private:
  // A value that an op outside of what is computed takes.
  struct Snapshot {
    Node* user;
    size_t input;
    c10::IValue value;
  };

  bool MayBeComputed(const Node& node) const {
    const bool is_list = node.kind() == c10::prim::ListConstruct;
    if (!node.blocks().empty() || node.outputs().empty() ||
        (!is_list && (node.maybeOperator() == nullptr ||
                      node.hasSideEffects() || node.isNondeterministic()))) {
      return false;
    }
    return (is_list || node.kind().is_aten()) &&
           std::all_of(node.inputs().begin(), node.inputs().end(),
                       [&](const Value* input) { return IsKnown(*input); }) &&
           std::all_of(node.outputs().begin(), node.outputs().end(),
                       [](const Value* output) {
                         return CanBeConstant(*output->type());
                       });
  }

  bool IsKnown(const Value& value) const {
    return value.node()->kind() == c10::prim::Constant ||
           computable_.count(value.node()) != 0;
  }

  // Whether something that is not computed here may write to `value`.
  bool IsWrittenElsewhere(const Value& value) const {
    return std::any_of(writers_.begin(), writers_.end(), [&](Node* writer) {
      return regions_.MayWrite(writer, &value) &&
             (computable_.count(writer) == 0 ||
              value.node()->kind() == c10::prim::Constant);
    });
  }

  bool IsSafe(const Node& node) const {
    const auto is_safe = [&](const Value* value) {
      return IsKnown(*value) && !IsWrittenElsewhere(*value);
    };
    return std::all_of(node.inputs().begin(), node.inputs().end(), is_safe) &&
           std::all_of(node.outputs().begin(), node.outputs().end(), is_safe);
  }

  void FindComputable() {
    ForEachNode(graph_.block(), [&](Node* node) {
      if (IsMutable(*node)) {
        writers_.push_back(node);
      }
    });
    if (writers_.empty()) {
      return;
    }
    for (Node* node : graph_.nodes()) {
      if (MayBeComputed(*node)) {
        computable_.insert(node);
      }
    }
    bool shrinks = true;
    while (shrinks) {
      shrinks = false;
      for (Node* node : graph_.nodes()) {
        if (computable_.count(node) != 0 && !IsSafe(*node)) {
          computable_.erase(node);
          shrinks = true;
        }
      }
    }
  }

  c10::IValue ValueOf(const Value& value) const {
    const auto found = values_.find(&value);
    return found != values_.end() ? found->second : *ConstantOf(value);
  }

  void Compute(const Node& node) {
    torch::jit::Stack stack;
    for (const Value* input : node.inputs()) {
      stack.push_back(ValueOf(*input));
    }
    if (node.kind() == c10::prim::ListConstruct) {
      c10::impl::GenericList list(
          node.output()->type()->expectRef<c10::ListType>().getElementType());
      for (c10::IValue& element : stack) {
        list.push_back(std::move(element));
      }
      stack = {c10::IValue(std::move(list))};
    } else {
      node.getOperation()(stack);
    }
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      values_[node.output(i)] = stack.at(i);
    }
  }

  // Notes what `node`, and the nodes in its blocks, take of the values as they
  // are now.
  void Note(Node* node) {
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const auto found = values_.find(node->input(i));
      if (found != values_.end()) {
        const c10::IValue& value = found->second;
        snapshots_.push_back(
            {node, i,
             value.isTensor() ? c10::IValue(value.toTensor().detach().clone())
                              : value.deepcopy()});
      }
    }
    for (torch::jit::Block* block : node->blocks()) {
      for (Node* inner : block->nodes()) {
        Note(inner);
      }
      Note(block->return_node());
    }
  }

  void Compute() {
    const at::NoGradGuard no_grad;
    for (Node* node : graph_.nodes()) {
      if (computable_.count(node) != 0) {
        Compute(*node);
      } else {
        Note(node);
      }
    }
    Note(graph_.return_node());
  }

  void Replace() {
    for (const Snapshot& snapshot : snapshots_) {
      const torch::jit::WithInsertPoint before(snapshot.user);
      snapshot.user->replaceInput(snapshot.input,
                                  graph_.insertConstant(snapshot.value));
    }
    for (auto it = graph_.nodes().rbegin(); it != graph_.nodes().rend(); ++it) {
      if (computable_.count(*it) != 0) {
        it.destroyCurrent();
      }
    }
  }

  Graph& graph_;
  const MemoryRegions regions_;
  std::vector<Node*> writers_;
  llvm::DenseSet<const Node*> computable_;
  llvm::DenseMap<const Value*, c10::IValue> values_;
  std::vector<Snapshot> snapshots_;
};

}  // namespace

bool FoldWrittenConstants(Graph& graph) { return Folder(graph).Run(); }

}  // namespace ns
