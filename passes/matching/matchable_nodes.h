// Collects the nodes of a graph that can be matched, with the properties of
// each that matching needs.
#ifndef PASSES_MATCHING_MATCHABLE_NODES_H_
#define PASSES_MATCHING_MATCHABLE_NODES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/module_path.h"
#include "passes/ops/op_relations.h"
#include "passes/ops/op_table.h"
#include "passes/ops/unmatchable_ops.h"

namespace torch::jit {
struct Block;
struct Graph;
struct Node;
struct Scope;
struct Value;
}  // namespace torch::jit

namespace ns {

// The families of control flow that is matched as a whole.
inline constexpr char kIfFamily[] = "prim::If";
inline constexpr char kLoopFamily[] = "prim::Loop";

struct MatchableNode {
  torch::jit::Node* node = nullptr;
  // The op that is compared. It differs from `node` where `node` is a prim::If
  // that only chooses between forms of one op (see Subgraph).
  torch::jit::Node* base = nullptr;
  // The row of the base op; null for ops outside the op table.
  const OpRow* row = nullptr;
  absl::string_view family;
  ModulePath path;
  // The ComparedOutput of `node`, and whether it is the only output.
  torch::jit::Value* output = nullptr;
  bool has_one_output = false;
  // The index of the node that alone uses `output`, in the same block; -1 for
  // none.
  int only_user = -1;
  // The first data input of an op that may be absent from the other model: a
  // view, dropout, batch norm, activation or unmatchable op; null for any
  // other.
  torch::jit::Value* skipped_to = nullptr;
  // True when the first data input comes from an aten::dequantize.
  bool follows_dequantize = false;
  // True for a prim::If or prim::Loop whose blocks hold matchable nodes.
  bool is_control_flow = false;
  // True for an op that the user does not want to be matched: it may be part of
  // a subgraph, but is no base op.
  bool is_unmatchable = false;
  // The shape of the base op's first weight; absent for ops without a constant
  // weight.
  std::optional<std::vector<int64_t>> weight_shape;
};

// A value, and the matchable node that makes it.
struct Source {
  torch::jit::Value* value = nullptr;
  // The index of the node whose only output the value is, or -1.
  int node = -1;
};

// True for ops that move elements, such as the aten::pad of a convolution that
// pads with a reflection. They are no part of what a fused module computes.
bool IsShapeOp(const MatchableNode& matchable);

// All matchable nodes of a graph in order of execution, including blocks inside
// control flow. Control flow that holds none (shape arithmetic) is left out.
class MatchableNodes {
 public:
  // Whether the other model has module paths. If so, they tell ops of the arms
  // of a prim::If apart (see OnlyOpInside); otherwise they must not, as both
  // models would then be divided into ops differently. `graph` and `relations`
  // must outlive the object.
  enum class OtherModel { kHasPaths, kHasNoPaths };
  MatchableNodes(torch::jit::Graph& graph, const OpRelations& relations,
                 OtherModel other = OtherModel::kHasPaths,
                 const UnmatchableOps& unmatchable = {});

  torch::jit::Graph& graph() const { return graph_; }

  int size() const { return static_cast<int>(nodes_.size()); }
  const MatchableNode& operator[](int index) const { return nodes_[index]; }

  // Returns the indices of the matchable nodes that stand directly in `block`.
  absl::Span<const int> InBlock(const torch::jit::Block* block) const;

  // Returns the index of `node`, or -1.
  int IndexOf(const torch::jit::Node* node) const;

  // Returns `value` as a source. `user`, the index of a node that takes the
  // value, saves a look-up: mostly one of the two nodes before it makes the
  // value.
  Source SourceOf(torch::jit::Value* value, int user = 0) const;

  // Returns `value` and, nearest first, the values it is made from by ops that
  // may be absent from the other model, casts among them, in its block and
  // those around it. There are at most kMaxSources. `user` is as in SourceOf.
  static constexpr size_t kMaxSources = 12;
  using SourceValues = absl::InlinedVector<Source, kMaxSources>;
  SourceValues Sources(torch::jit::Value* value, int user = 0) const;

  // True when some node has a module path.
  bool has_module_names() const { return has_module_names_; }

  // True when some node is control flow.
  bool has_control_flow() const { return has_control_flow_; }

  // True when a batch norm belongs to the module of path `fqn`; false for an
  // empty one.
  bool HasBatchNormOf(absl::string_view fqn) const {
    return batch_norm_paths_.contains(fqn);
  }

  // The nodes that have a weight_shape.
  absl::Span<const int> weighted() const { return weighted_; }

  // All nodes of the graph that quantize, in order of execution.
  const std::vector<torch::jit::Node*>& quantize_nodes() const {
    return quantize_nodes_;
  }

 private:
  void AddBlock(torch::jit::Block* block);
  void AddNode(torch::jit::Node* node);
  void AddQuantizeNodesIn(torch::jit::Node* node);
  void FindOnlyUsers();
  void Mark(const UnmatchableOps& unmatchable);
  torch::jit::Node* OnlyOpInside(torch::jit::Node* node) const;

  torch::jit::Graph& graph_;
  const OpRelations& relations_;
  const OtherModel other_;
  std::vector<MatchableNode> nodes_;
  absl::flat_hash_map<const torch::jit::Node*, int> index_;
  absl::flat_hash_map<const torch::jit::Block*, std::vector<int>> in_block_;
  std::vector<torch::jit::Node*> quantize_nodes_;
  // The OnlyUser of each node's output, until its index is known.
  std::vector<const torch::jit::Node*> only_users_;
  std::vector<int> weighted_;
  absl::flat_hash_set<absl::string_view> batch_norm_paths_;
  bool has_module_names_ = false;
  bool has_control_flow_ = false;
  // The scope of the previous node, which nodes of one call share, and its
  // path.
  const torch::jit::Scope* scope_ = nullptr;
  ModulePath path_;
};

// True when some node of `graph` has a module path.
bool HasModulePaths(const torch::jit::Graph& graph);

// Returns the data inputs of `matchable`, as those of a subgraph of one node.
std::vector<torch::jit::Value*> DataInputsOf(const MatchableNode& matchable);

// Returns the value that is compared: the first tensor output, or the first
// output that is a list of tensors or, for a leaf call, a tuple that starts
// with one; null for ops without any.
torch::jit::Value* ComparedOutput(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHABLE_NODES_H_
