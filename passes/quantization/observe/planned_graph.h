// Collects the facts about a float graph that plans for quantizing it need,
// whatever the options of the plan are.
#ifndef PASSES_QUANTIZATION_OBSERVE_PLANNED_GRAPH_H_
#define PASSES_QUANTIZATION_OBSERVE_PLANNED_GRAPH_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/aliasing/tensor_writes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/ops/op_relations.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/int8_operands.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

class ValueFacts;

// The subgraphs of a float graph (FindFloatSubgraphs with `fusing`), and
// whether and how each of them could run in int8. The graph must outlive the
// object. While the object is in use, neither the graph nor LibTorch's
// quantized engine may change. The methods that take `base` take the base op of
// one of these subgraphs, and no other node.
class PlannedGraph {
 public:
  PlannedGraph(torch::jit::Graph& graph, const OpRelations& relations,
               FusingOps fusing = FusingOps::kLibTorch);

  torch::jit::Graph& graph() const { return graph_; }
  const std::vector<FloatSubgraph>& subgraphs() const { return subgraphs_; }

  // Returns the subgraph whose first node is `node`; null if there is none.
  const FloatSubgraph* StartingAt(const torch::jit::Node* node) const;
  // Whether `node` is in one of the subgraphs.
  bool IsInside(const torch::jit::Node* node) const {
    return inside_.contains(node);
  }

  // Return what Int8FormOf returns for the base op (an error if it cannot run
  // in int8), and what Int8OperandsOf returns for its subgraph.
  const absl::StatusOr<Int8Form>& FormOf(const torch::jit::Node& base) const {
    return forms_.find(&base)->second;
  }
  const std::optional<std::vector<Int8Operand>>& OperandsOf(
      const torch::jit::Node& base) const {
    return operands_.find(&base)->second;
  }

  // Whether an input or the output of the subgraph is quantized already.
  bool IsQuantized(const torch::jit::Node& base) const {
    return quantized_.contains(&base);
  }

  // Whether an in-place op may write to an operand, an inner value or the
  // output of the subgraph (IsWritten).
  bool HasWriters(const torch::jit::Node& base) const {
    return written_.contains(&base);
  }

  // Whether an in-place op may write to `value`. Normally, writes to views of
  // it count, too (TensorWrites).
  //
  // If the graph has a call of a module that was not inlined, LibTorch's alias
  // analysis would take that call for a write. Then the answer is less careful:
  // it is true only if an in-place op takes `value` itself as its first input.
  // A write to a view is not seen.
  bool IsWritten(const torch::jit::Value* value) const;

 private:
  bool FindWriters(const FloatSubgraph& subgraph) const;

  torch::jit::Graph& graph_;
  const TensorWrites writes_;
  const bool has_leaf_calls_;
  const std::vector<FloatSubgraph> subgraphs_;
  llvm::DenseMap<const torch::jit::Node*, const FloatSubgraph*> by_start_;
  llvm::DenseSet<const torch::jit::Node*> inside_;
  llvm::DenseMap<const torch::jit::Node*, absl::StatusOr<Int8Form>> forms_;
  llvm::DenseMap<const torch::jit::Node*,
                 std::optional<std::vector<Int8Operand>>>
      operands_;
  llvm::DenseSet<const torch::jit::Node*> quantized_;
  llvm::DenseSet<const torch::jit::Node*> written_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_PLANNED_GRAPH_H_
