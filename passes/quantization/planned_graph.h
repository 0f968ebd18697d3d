// What plans for a graph ask of it, whatever their options.
#ifndef PASSES_QUANTIZATION_PLANNED_GRAPH_H_
#define PASSES_QUANTIZATION_PLANNED_GRAPH_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "ir/tensor_writes.h"
#include "passes/ops/op_relations.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/quantization/int8_form.h"
#include "passes/quantization/int8_operands.h"

namespace torch::jit {
struct Graph;
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

class ValueFacts;

// The subgraphs of a float graph that could run in int8, and how. Neither the
// graph, which must outlive the object, nor the quantized engine that is set
// may change meanwhile. Base ops below are of these subgraphs.
class PlannedGraph {
 public:
  PlannedGraph(torch::jit::Graph& graph, const OpRelations& relations);

  torch::jit::Graph& graph() const { return graph_; }

  // The subgraph that begins with `node`; null for none.
  const FloatSubgraph* StartingAt(const torch::jit::Node* node) const;
  // Whether `node` is of some subgraph.
  bool IsInside(const torch::jit::Node* node) const {
    return inside_.contains(node);
  }

  // Int8FormOf the base op, and Int8OperandsOf its subgraph.
  const absl::StatusOr<Int8Form>& FormOf(const torch::jit::Node& base) const {
    return forms_.at(&base);
  }
  const std::optional<std::vector<Int8Operand>>& OperandsOf(
      const torch::jit::Node& base) const {
    return operands_.at(&base);
  }

  // Whether the ops of the subgraph run on quantized values already.
  bool IsQuantized(const torch::jit::Node& base) const {
    return quantized_.contains(&base);
  }

  // Whether an op in place may write to values of the subgraph.
  bool HasWriters(const torch::jit::Node& base) const {
    return written_.contains(&base);
  }

  // Whether an op in place may write to `value`. A call of a module that was
  // not inlined counts as one for LibTorch; beside such calls, only what is
  // written to by name is taken as written to.
  bool IsWritten(const torch::jit::Value* value) const;

 private:
  bool FindWriters(const FloatSubgraph& subgraph) const;

  torch::jit::Graph& graph_;
  const TensorWrites writes_;
  const bool has_leaf_calls_;
  const std::vector<FloatSubgraph> subgraphs_;
  absl::flat_hash_map<const torch::jit::Node*, const FloatSubgraph*> by_start_;
  absl::flat_hash_set<const torch::jit::Node*> inside_;
  absl::flat_hash_map<const torch::jit::Node*, absl::StatusOr<Int8Form>> forms_;
  absl::flat_hash_map<const torch::jit::Node*,
                      std::optional<std::vector<Int8Operand>>>
      operands_;
  absl::flat_hash_set<const torch::jit::Node*> quantized_;
  absl::flat_hash_set<const torch::jit::Node*> written_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_PLANNED_GRAPH_H_
