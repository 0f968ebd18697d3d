#include "passes/matching/matchable_nodes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/list_writes.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph.h"
#include "passes/matching/value_keeping.h"
#include "passes/ops/fusion_patterns.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

bool IsControlFlow(const Node& node) {
  return node.kind() == prim::If || node.kind() == prim::Loop;
}

// True for a tuple that starts with a tensor.
bool IsTupleOfTensors(const Value& value) {
  const auto tuple = value.type()->cast<c10::TupleType>();
  return tuple && !tuple->elements().empty() &&
         tuple->elements()[0]->kind() == c10::TypeKind::TensorType;
}

// True for an op that is matched and compared in its own right. `row` is that
// of its op.
bool IsMatchableOp(const Node& node, const OpRow* row) {
  if (IsControlFlow(node) || ComparedOutput(node) == nullptr) {
    return false;
  }
  if (row != nullptr) {
    return row->role == Role::kCompute || row->role == Role::kShape;
  }
  if (IsLeafCall(node)) {
    return true;
  }
  // An op that the table does not know is its own family, unless it is the
  // JIT's own plumbing or makes its tensor from no data.
  return !node.kind().is_prim() && !DataInputs(node).empty();
}

bool IsMatchableOp(const Node& node) {
  return IsMatchableOp(node, FindOp(OpName(node)));
}

bool OnlyMovesData(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && row->role == Role::kShape;
}

// True for ops that give a value another scale and zero point: a comparison
// point of its own. `row` is that of the op, and may be null.
bool Quantizes(const OpRow* row) {
  return row != nullptr &&
         (row->role == Role::kQuantize || row->family == "requantize");
}

absl::string_view FusedActivation(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row == nullptr ? "" : row->fused_activation;
}

// True for control flow that computes something: adding a batch dimension and
// taking it away again, as recurrent layers do, does not count.
bool HoldsMatchableOp(Node* node) {
  return absl::c_any_of(node->blocks(), [](const Block* block) {
    return AnyNode(block, [](const Node* inner) {
      return IsMatchableOp(*inner) && !OnlyMovesData(*inner);
    });
  });
}

// Returns the input that tells one layer's op from another's. `row` is the
// op's.
const Value* WeightInput(const Node& node, const OpRow* row) {
  return row == nullptr || row->weight_form == WeightForm::kNone ||
                 node.inputs().size() <= static_cast<size_t>(row->weight_input)
             ? nullptr
             : node.input(row->weight_input);
}

std::optional<std::vector<int64_t>> WeightShape(const Node& node,
                                                const OpRow* row) {
  const Value* weight = WeightInput(node, row);
  if (weight == nullptr) {
    return std::nullopt;
  }
  // The type of a constant has the shape, so the tensor need not be fetched.
  if (const auto type = weight->type()->cast<c10::TensorType>()) {
    if (const auto sizes = type->sizes().concrete_sizes()) {
      return *sizes;
    }
  }
  const absl::StatusOr<std::vector<NamedTensor>> weights = NodeWeights(node);
  if (!weights.ok() || weights->empty()) {
    return std::nullopt;
  }
  return weights->front().value.sizes().vec();
}

// Returns the first data input of `node`, which is no control flow, if the node
// may be absent from the other model; null otherwise. `row` is that of its op.
Value* SkippedTo(const Node& node, const OpRow* row) {
  const bool may_be_absent =
      row != nullptr &&
      (row->role == Role::kTransparent || row->role == Role::kShape ||
       row->role == Role::kQuantize || row->role == Role::kDequantize ||
       row->role == Role::kObserve || row->family == "dropout" ||
       row->family == "batch_norm" || IsActivation(row->family));
  return may_be_absent ? FirstDataInput(node) : nullptr;
}

// Whether `value` is computed, inside the block of `ops`, from an output of one
// of them.
bool IsMadeBy(const Value& value, const std::vector<const Node*>& ops,
              llvm::DenseSet<const Node*>& seen) {
  const Node* node = value.node();
  if (absl::c_linear_search(ops, node)) {
    return true;
  }
  if (node->kind() == prim::Param ||
      node->owningBlock() != ops.front()->owningBlock() ||
      !seen.insert(node).second) {
    return false;
  }
  return absl::c_any_of(node->inputs(), [&](const Value* input) {
    return IsMadeBy(*input, ops, seen);
  });
}

// Returns the value from outside that one arm of the prim::If defining `value`
// returns unchanged, where no arm computes anything; null otherwise.
Value* PassedThrough(const Value& value) {
  Node* node = const_cast<Node*>(value.node());
  if (node->kind() != prim::If || HoldsMatchableOp(node)) {
    return nullptr;
  }
  for (Block* arm : node->blocks()) {
    Value* returned = arm->outputs()[value.offset()];
    if (returned->node()->owningBlock() == node->owningBlock()) {
      return returned;
    }
  }
  return nullptr;
}

}  // namespace

Value* ComparedOutput(const Node& node) {
  if (Value* tensor = TensorOutput(node)) {
    return tensor;
  }
  for (const Value* output : node.outputs()) {
    if (IsTensorList(*output) ||
        (IsLeafCall(node) && IsTupleOfTensors(*output))) {
      return const_cast<Value*>(output);
    }
  }
  return nullptr;
}

MatchableNodes::MatchableNodes(torch::jit::Graph& graph,
                               const OpRelations& relations, OtherModel other,
                               const UnmatchableOps& unmatchable)
    : graph_(graph), relations_(relations), other_(other) {
  const auto nodes = graph.nodes();
  const size_t count = std::distance(nodes.begin(), nodes.end());
  nodes_.reserve(count);
  only_users_.reserve(count);
  index_.reserve(count);
  AddBlock(graph.block());
  FindOnlyUsers();
  Mark(unmatchable);
}

void MatchableNodes::Mark(const UnmatchableOps& unmatchable) {
  if (unmatchable.empty()) {
    return;
  }
  for (MatchableNode& node : nodes_) {
    node.is_unmatchable = !node.is_control_flow &&
                          unmatchable.Contains(OpName(*node.base), node.path);
    if (node.is_unmatchable && node.base == node.node) {
      node.skipped_to = FirstDataInput(*node.node);
    }
  }
}

void MatchableNodes::FindOnlyUsers() {
  for (int i = 0; i < size(); ++i) {
    const Node* user = only_users_[i];
    if (user != nullptr) {
      // The user is mostly the next node.
      const bool is_next = i + 1 < size() && nodes_[i + 1].node == user;
      nodes_[i].only_user = is_next ? i + 1 : IndexOf(user);
    }
  }
  only_users_ = {};
}

void MatchableNodes::AddBlock(Block* block) {
  for (Node* node : block->nodes()) {
    AddNode(node);
  }
}

// Finds all properties of the node while it is at hand: a large graph does not
// fit into caches, and every walk over it costs as much as matching.
void MatchableNodes::AddNode(Node* node) {
  MatchableNode matchable;
  matchable.node = node;
  if (IsControlFlow(*node)) {
    if (!HoldsMatchableOp(node)) {
      AddQuantizeNodesIn(node);
      return;
    }
    matchable.base = OnlyOpInside(node);
    matchable.is_control_flow = matchable.base == nullptr;
  } else {
    matchable.row = FindOp(OpName(*node));
    if (Quantizes(matchable.row)) {
      quantize_nodes_.push_back(node);
    }
    if (!IsMatchableOp(*node, matchable.row)) {
      return;
    }
    matchable.base = node;
    matchable.skipped_to = SkippedTo(*node, matchable.row);
  }
  if (matchable.is_control_flow) {
    matchable.base = node;
    matchable.family = node->kind() == prim::If ? kIfFamily : kLoopFamily;
  } else {
    if (matchable.base != node) {
      AddQuantizeNodesIn(node);
      matchable.row = FindOp(OpName(*matchable.base));
    }
    matchable.family = relations_.FamilyOf(*matchable.base);
    matchable.weight_shape = WeightShape(*matchable.base, matchable.row);
  }
  const torch::jit::Scope* scope = matchable.base->scope().get();
  if (scope != scope_) {
    scope_ = scope;
    path_ = ModulePathOf(*matchable.base);
  }
  matchable.path = path_;
  has_module_names_ |= !matchable.path.fqn.empty();
  has_control_flow_ |= matchable.is_control_flow;
  matchable.output = ComparedOutput(*node);
  matchable.has_one_output = node->outputs().size() == 1;
  matchable.follows_dequantize =
      !node->inputs().empty() &&
      node->input(0)->node()->kind() == c10::aten::dequantize;
  only_users_.push_back(
      matchable.output == nullptr ? nullptr : OnlyUser(*matchable.output));
  const int index = size();
  in_block_[node->owningBlock()].push_back(index);
  index_[node] = index;
  if (matchable.weight_shape) {
    weighted_.push_back(index);
  }
  if (matchable.family == "batch_norm" && !matchable.path.fqn.empty()) {
    batch_norm_paths_.insert(matchable.path.fqn);
  }
  const bool enter = matchable.is_control_flow;
  nodes_.push_back(std::move(matchable));
  if (enter) {
    for (Block* block : node->blocks()) {
      AddBlock(block);
    }
  }
}

void MatchableNodes::AddQuantizeNodesIn(Node* node) {
  for (Block* block : node->blocks()) {
    for (Node* inner : block->nodes()) {
      AddQuantizeNodesIn(inner);
      if (Quantizes(FindOp(OpName(*inner)))) {
        quantize_nodes_.push_back(inner);
      }
    }
  }
}

// Returns the op of a prim::If that chooses between forms of one op by shape or
// rank: every arm holds ops of one family with one activation fused, of one
// module and with one weight, besides ops that only move data and dropout, and
// returns what they compute. Null for any other control flow.
Node* MatchableNodes::OnlyOpInside(Node* node) const {
  const Value* compared = ComparedOutput(*node);
  if (node->kind() != prim::If || compared == nullptr) {
    return nullptr;
  }
  Node* only = nullptr;
  for (Block* arm : node->blocks()) {
    std::vector<const Node*> ops_of_arm;
    for (Node* inner : arm->nodes()) {
      Node* op = inner;
      if (IsControlFlow(*inner)) {
        if (!HoldsMatchableOp(inner)) {
          continue;
        }
        op = OnlyOpInside(inner);
        if (op == nullptr) {
          return nullptr;
        }
      } else if (!IsMatchableOp(*inner) || OnlyMovesData(*inner) ||
                 IsDropout(*inner)) {
        continue;
      }
      // Ops that follow one another are a computation of the user, not forms of
      // one op.
      for (Value* input : DataInputs(*inner)) {
        for (const Source& source : Sources(input)) {
          if (absl::c_linear_search(ops_of_arm, source.value->node())) {
            return nullptr;
          }
        }
      }
      ops_of_arm.push_back(inner);
      if (only == nullptr) {
        only = op;
      } else if (relations_.FamilyOf(*only) != relations_.FamilyOf(*op) ||
                 FusedActivation(*only) != FusedActivation(*op) ||
                 (other_ == OtherModel::kHasPaths &&
                  ModulePathOf(*only).fqn != ModulePathOf(*op).fqn) ||
                 WeightInput(*only, FindOp(OpName(*only))) !=
                     WeightInput(*op, FindOp(OpName(*op)))) {
        return nullptr;
      }
    }
    // A value that an arm returns unchanged is no output of the op.
    llvm::DenseSet<const Node*> seen;
    if (ops_of_arm.empty() ||
        !IsMadeBy(*arm->outputs()[compared->offset()], ops_of_arm, seen)) {
      return nullptr;
    }
  }
  return only;
}

absl::Span<const int> MatchableNodes::InBlock(const Block* block) const {
  const auto it = in_block_.find(block);
  return it == in_block_.end() ? absl::Span<const int>() : it->second;
}

int MatchableNodes::IndexOf(const Node* node) const {
  const auto it = index_.find(node);
  return it == index_.end() ? -1 : it->second;
}

Source MatchableNodes::SourceOf(Value* value, int user) const {
  // Two nodes back are looked at, since an op of a chain and one of a branch
  // beside it may take turns.
  for (int i = user - 1; i >= std::max(0, user - 2); --i) {
    if (nodes_[i].output == value && nodes_[i].has_one_output) {
      return {value, i};
    }
  }
  const int i = IndexOf(value->node());
  return {value, i >= 0 && nodes_[i].has_one_output && nodes_[i].output == value
                     ? i
                     : -1};
}

MatchableNodes::SourceValues MatchableNodes::Sources(Value* value,
                                                     int user) const {
  SourceValues sources;
  while (value != nullptr && sources.size() < kMaxSources) {
    const Node* node = value->node();
    const Source source = SourceOf(value, user);
    sources.push_back(source);
    if (node->kind() == prim::Param) {
      break;
    }
    if (source.node >= 0) {
      value = nodes_[source.node].skipped_to;
      user = source.node;
    } else if (IsControlFlow(*node)) {
      value = PassedThrough(*value);
    } else {
      value = SkippedTo(*node, FindOp(OpName(*node)));
    }
  }
  return sources;
}

bool IsShapeOp(const MatchableNode& matchable) {
  return matchable.row != nullptr && matchable.row->role == Role::kShape;
}

bool HasModulePaths(const torch::jit::Graph& graph) {
  // Nodes of one call share a scope.
  const torch::jit::Scope* seen = nullptr;
  const Block* block = graph.block();
  return AnyNode(block, [&](const Node* node) {
    const torch::jit::Scope* scope = const_cast<Node*>(node)->scope().get();
    return std::exchange(seen, scope) != scope &&
           !ModulePathOf(*node).fqn.empty();
  });
}

std::vector<Value*> DataInputsOf(const MatchableNode& matchable) {
  std::vector<Value*> inputs;
  for (Value* input : DataInputsOf(
           Subgraph{matchable.node, matchable.node, matchable.base, {}})) {
    const auto elements = IsTensorList(*input)
                              ? ElementsBefore(*input, *matchable.node)
                              : std::nullopt;
    if (!elements) {
      inputs.push_back(input);
      continue;
    }
    for (Value* element : *elements) {
      absl::c_copy(DataInputsOfArgument(*element), std::back_inserter(inputs));
    }
  }
  return inputs;
}

}  // namespace ns
