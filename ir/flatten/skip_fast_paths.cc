#include "ir/flatten/skip_fast_paths.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/algorithm/container.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;
namespace aten = ::c10::aten;
namespace prim = ::c10::prim;

// Freezing makes a constant of each read of a parameter.
bool HoldSame(const at::Tensor& a, const at::Tensor& b) {
  const bool are_alike = a.defined() && b.defined() && a.dtype() == b.dtype() &&
                         a.sizes() == b.sizes() && !a.is_quantized() &&
                         !b.is_quantized();
  return are_alike && (a.is_same(b) || at::equal(a, b));
}

// Whether `a` and `b` are the same parameter: one value, or two constants with
// the same values, or two reads of one attribute.
bool IsSameParameter(const Value& a, const Value& b) {
  if (&a == &b) {
    return true;
  }
  const Node* one = a.node();
  const Node* other = b.node();
  if (one->kind() != other->kind()) {
    return false;
  }
  if (one->kind() == prim::GetAttr) {
    return one->s(c10::attr::name) == other->s(c10::attr::name) &&
           IsSameParameter(*one->input(), *other->input());
  }
  const auto first = ConstantOf(a);
  const auto second = ConstantOf(b);
  return first && second && first->isTensor() && second->isTensor() &&
         HoldSame(first->toTensor(), second->toTensor());
}

bool IsParameter(const Value& value) {
  const Node* node = value.node();
  return IsTensor(value) &&
         (node->kind() == prim::Constant || node->kind() == prim::GetAttr);
}

// Whether some op outside `fast`, which is no fast path either, reads
// `parameter`.
bool IsReadOutside(const Graph& graph, const Value& parameter,
                   const Block& fast) {
  return AnyNode(graph.block(), [&](const Node* node) {
    return !IsFastPathOp(*node) && node->kind() != prim::GetAttr &&
           !IsWithin(*node, fast) &&
           absl::c_any_of(node->inputs(), [&](const Value* input) {
             return IsParameter(*input) && IsSameParameter(*input, parameter);
           });
  });
}

bool SlowBranchReadsParameters(const Graph& graph, const Node& op) {
  return absl::c_all_of(op.inputs(), [&](const Value* input) {
    return !IsParameter(*input) ||
           IsReadOutside(graph, *input, *op.owningBlock());
  });
}

bool GivesUninitialized(const Block& block) {
  return absl::c_any_of(block.outputs(), [](const Value* output) {
    return output->node()->kind() == prim::Uninitialized;
  });
}

// Whether the branch of `op` returns from the middle of a function, and
// `condition`, that of its prim::If, is read by nothing but prim::Ifs and
// returns of blocks.
bool IsEarlyReturn(const Node& op) {
  const Node* branch = op.owningBlock()->owningNode();
  if (branch == nullptr || branch->kind() != prim::If) {
    return false;
  }
  const Block* other = branch->blocks()[0] == op.owningBlock()
                           ? branch->blocks()[1]
                           : branch->blocks()[0];
  return GivesUninitialized(*other) &&
         absl::c_all_of(branch->input()->uses(), [](const Use& use) {
           return use.user->kind() == prim::If ||
                  use.user->kind() == prim::Return;
         });
}

// Makes the condition of the branch of `op` a constant.
void Skip(Graph& graph, Node& op) {
  Node* branch = op.owningBlock()->owningNode();
  const bool is_first = branch->blocks()[0] == op.owningBlock();
  Value* condition = branch->input();
  torch::jit::WithInsertPoint at(graph.block()->param_node()->next());
  condition->replaceAllUsesWith(graph.insertConstant(!is_first));
}

}  // namespace

bool IsFastPathOp(const Node& node) {
  return node.kind() == aten::_native_multi_head_attention ||
         node.kind() == aten::_transformer_encoder_layer_fwd;
}

bool MakesNestedTensors(const Graph& graph) {
  return AnyNode(graph.block(), [](const Node* node) {
    return node->kind() == aten::_nested_tensor_from_mask;
  });
}

bool SkipFastPaths(Graph& graph) {
  if (MakesNestedTensors(graph)) {
    return false;
  }
  std::vector<Node*> ops;
  ForEachNode(graph.block(), [&](Node* node) {
    if (IsFastPathOp(*node)) {
      ops.push_back(node);
    }
  });
  bool changed = false;
  for (Node* op : ops) {
    if (IsEarlyReturn(*op) && SlowBranchReadsParameters(graph, *op)) {
      Skip(graph, *op);
      changed = true;
    }
  }
  return changed;
}

bool RemoveUnreadModes(Graph& graph) {
  static const c10::Symbol kIsGradEnabled =
      c10::Symbol::fromQualString("aten::is_grad_enabled");
  bool changed = false;
  ForEachNodeInnermostFirst(graph.block(), [&](Node* node) {
    const bool is_mode = node->kind() == kIsGradEnabled ||
                         node->kind() == aten::is_autocast_enabled;
    if (is_mode && !node->output()->hasUses()) {
      node->destroy();
      changed = true;
    }
  });
  return changed;
}

}  // namespace ns
