// Collects the nodes of a graph that can be matched, with the properties of
// each that matching needs.
#ifndef PASSES_MATCHING_MATCHABLE_NODES_H_
#define PASSES_MATCHING_MATCHABLE_NODES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/graph/module_path.h"
#include "llvm/ADT/DenseMap.h"
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

// MatchableNode::family of control flow.
inline constexpr char kIfFamily[] = "prim::If";
inline constexpr char kLoopFamily[] = "prim::Loop";

// "Index" means a node's place in MatchableNodes.
struct MatchableNode {
  torch::jit::Node* node = nullptr;
  // The op that is compared: mostly `node` itself. Where `node` is a prim::If
  // that only chooses between forms of one op (Subgraph of
  // passes/analysis/subgraph.h), it is the op in the first arm.
  torch::jit::Node* base = nullptr;
  // The row of the base op; null for ops outside the op table, and for control
  // flow.
  const OpRow* row = nullptr;
  // What tells related ops: OpRelations::FamilyOf the base op; kIfFamily or
  // kLoopFamily for control flow.
  absl::string_view family;
  // The module that the base op came from.
  ModulePath path;
  // ComparedOutput(*node), which may be null for control flow, and whether
  // `node` has one output only.
  torch::jit::Value* output = nullptr;
  bool has_one_output = false;
  // The index of the node that uses `output`, when there is exactly one use,
  // and that in the same block (OnlyUser of ir/graph/node_view.h). -1 for none,
  // and where the user is not a matchable node.
  int only_user = -1;
  // Where to go on, towards the inputs, if the other model does not have this
  // op: its first data input. Set for ops that may be absent there: those that
  // move elements, dropout, batch norm, activations and unmatchable ops. Null
  // for all other nodes.
  torch::jit::Value* skipped_to = nullptr;
  // True when the first input of `node` comes from an aten::dequantize.
  bool follows_dequantize = false;
  // True for a prim::If or prim::Loop that is a node by itself; the nodes in
  // its blocks are listed, too. False for a prim::If that counts as one op (see
  // `base`), of which nothing inside is listed.
  bool is_control_flow = false;
  // True for an op that UnmatchableOps names: it may be part of a subgraph, but
  // is no base op.
  bool is_unmatchable = false;
  // The shape of the base op's first weight; absent where it has no weight, or
  // neither the type nor a constant tells.
  std::optional<std::vector<int64_t>> weight_shape;
};

// A value, and the matchable node that makes it.
struct Source {
  torch::jit::Value* value = nullptr;
  // The index of the node whose only output `value` is, or -1.
  int node = -1;
};

// True for ops that only move elements (Role::kShape), such as the aten::pad of
// a convolution that pads with a reflection. They are no part of what a fused
// module computes.
bool IsShapeOp(const MatchableNode& matchable);

// All matchable nodes of a graph, in order of execution, with those inside
// control flow: ops that compute or move elements (Role::kCompute and kShape of
// passes/ops/op_families.h), leaf calls, ops outside the op table that take
// data, each with a ComparedOutput, and control flow. Control flow in which
// nothing is computed (shape arithmetic, ops that move elements) is left out.
class MatchableNodes {
 public:
  // `other` is HasModulePaths of the other model. It matters for a prim::If
  // that may count as one op (MatchableNode::base). With kHasPaths, the ops of
  // its arms must be of one module. With kHasNoPaths they may be of several:
  // the other model cannot tell its modules, and counts it as one op.
  //
  // `unmatchable` sets MatchableNode::is_unmatchable. `graph` and `relations`
  // must outlive the object. The graph must not change.
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

  // Returns `value` with the node that makes it. `user` is the index of a node
  // that takes the value, and only makes this faster; 0 where it is not known.
  Source SourceOf(torch::jit::Value* value, int user = 0) const;

  // Returns `value` and then, nearest first, the values that it is made from by
  // ops that the other model may not have: those of MatchableNode::skipped_to,
  // casts, quantize and dequantize ops, observers, and control flow that only
  // hands a value on. Ends at the first other op, or after kMaxSources. `user`
  // is as in SourceOf.
  static constexpr size_t kMaxSources = 12;
  using SourceValues = absl::InlinedVector<Source, kMaxSources>;
  SourceValues Sources(torch::jit::Value* value, int user = 0) const;

  // True when some matchable node has a module path.
  bool has_module_names() const { return has_module_names_; }

  // True when some node has is_control_flow.
  bool has_control_flow() const { return has_control_flow_; }

  // True when a batch norm belongs to the module of path `fqn`; false for an
  // empty one.
  bool HasBatchNormOf(absl::string_view fqn) const {
    return batch_norm_paths_.contains(fqn);
  }

  // The indices of the nodes that have a weight_shape.
  absl::Span<const int> weighted() const { return weighted_; }

  // All nodes of the graph that quantize (Role::kQuantize) or, in a lowered
  // model, requantize, in order of execution. They are not matchable, and have
  // no index.
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
  llvm::DenseMap<const torch::jit::Node*, int> index_;
  llvm::DenseMap<const torch::jit::Block*, std::vector<int>> in_block_;
  std::vector<torch::jit::Node*> quantize_nodes_;
  // OnlyUser of each node's output, until all nodes have an index.
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

// True when some node of `graph`, matchable or not, has a module path.
bool HasModulePaths(const torch::jit::Graph& graph);

// Returns DataInputsOf (analysis/subgraph.h) of the subgraph that consists of
// `matchable` alone, with the elements in place of a list that is filled after
// it is made, where the graph tells them (ElementsBefore in
// analysis/list_writes.h).
std::vector<torch::jit::Value*> DataInputsOf(const MatchableNode& matchable);

// Returns the output of `node` that is compared: the first one that is a
// tensor. Where there is none, the first that is a list of tensors or, of a
// call that was not inlined (IsLeafCall), a tuple that starts with a tensor.
// Null where there is none either.
torch::jit::Value* ComparedOutput(const torch::jit::Node& node);

}  // namespace ns

#endif  // PASSES_MATCHING_MATCHABLE_NODES_H_
