#include "passes/rewrite/differentiable_graph.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/algorithm/container.h"
#include "ir/aliasing/out_of_place.h"
#include "ir/aliasing/tensor_writes.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether the op gives a tensor of its own: no view, nor what it writes to.
bool MakesTensors(const Node& node) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  return schema != nullptr && !schema->is_mutable() && node.blocks().empty() &&
         absl::c_none_of(schema->returns(), [](const c10::Argument& returned) {
           return returned.alias_info() != nullptr;
         });
}

// Inserts a copy of `value` at the insertion point.
Value* InsertCopy(Graph& graph, Value* value) {
  Node* copy = graph.insertNode(graph.create(
      c10::aten::clone, {value, graph.insertConstant(c10::IValue())}));
  return copy->output()->setType(value->type());
}

// Lets `node` take copies of the tensors among its inputs for which `is_taken`
// is true.
template <typename IsTaken>
void TakeCopies(Graph& graph, Node* node, const IsTaken& is_taken) {
  const torch::jit::WithInsertPoint before(node);
  for (size_t i = 0; i < node->inputs().size(); ++i) {
    if (IsTensor(*node->input(i)) && is_taken(node->input(i))) {
      node->replaceInput(i, InsertCopy(graph, node->input(i)));
    }
  }
}

// Lets all that uses `value` use a copy, and returns that.
Value* GiveCopy(Graph& graph, Value* value) {
  const std::vector<torch::jit::Use> uses = value->uses();
  const torch::jit::WithInsertPoint after(PlaceAfter(*value));
  Value* copy = InsertCopy(graph, value);
  for (const torch::jit::Use& use : uses) {
    use.user->replaceInput(use.offset, copy);
  }
  return copy;
}

// Computes apart what `node` writes, and copies it, where there is an op for
// that. It takes copies of the tensors for which `is_written` is true.
template <typename IsWritten>
void WriteCopy(Graph& graph, Node* node, const IsWritten& is_written) {
  Node* apart = InsertOutOfPlace(node);
  if (apart == nullptr) {
    return;
  }
  TakeCopies(graph, apart, is_written);
  const torch::jit::WithInsertPoint here(node);
  Node* copied = graph.insertNode(graph.create(
      c10::aten::copy_,
      {node->input(0), apart->output(), graph.insertConstant(false)}));
  copied->output()->setType(node->output()->type());
  node->output()->replaceAllUsesWith(copied->output());
  node->destroy();
}

}  // namespace

void MakeDifferentiable(Graph& graph) {
  std::vector<Node*> writers;
  std::vector<Node*> others;
  ForEachNode(graph.block(), [&](Node* node) {
    if (node->maybeSchema() != nullptr && node->schema().is_mutable()) {
      writers.push_back(node);
    } else if (MakesTensors(*node)) {
      others.push_back(node);
    }
  });
  if (writers.empty()) {
    return;
  }
  llvm::DenseSet<const Value*> written;
  {
    const TensorWrites writes(graph);
    const auto note = [&](const Value* value) {
      if (IsTensor(*value) && writes.HasWriters(value)) {
        written.insert(value);
      }
    };
    ForEachNode(graph.block(), [&](Node* node) {
      absl::c_for_each(node->inputs(), note);
      absl::c_for_each(node->outputs(), note);
    });
  }
  const auto is_written = [&](const Value* value) {
    return written.contains(value);
  };
  for (Node* node : others) {
    TakeCopies(graph, node, is_written);
    for (Value* output : node->outputs()) {
      if (is_written(output)) {
        // The writes are to the copy from here on.
        written.insert(GiveCopy(graph, output));
      }
    }
  }
  for (Node* node : writers) {
    WriteCopy(graph, node, is_written);
  }
}

}  // namespace ns
