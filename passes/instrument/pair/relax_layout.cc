#include "passes/instrument/pair/relax_layout.h"

#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "ir/aliasing/tensor_writes.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/analysis/op_outputs.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace aten = ::c10::aten;
namespace prim = ::c10::prim;

// aten::view(Tensor, int[]); there is one that changes the dtype, too.
bool IsView(const Node& node) {
  return node.kind() == aten::view &&
         node.input(1)->type()->kind() == c10::TypeKind::ListType;
}

// Whether an op may put tensors into a value of `type`: into a list or dict,
// but not into a list of numbers.
bool MayBeGivenTensors(const c10::Type& type) {
  return type.kind() == c10::TypeKind::DictType ||
         (type.kind() == c10::TypeKind::ListType && CountTensors(type) > 0);
}

// The values that may have another layout when `changed` have: all that data
// flow leads to from them.
class ChangedLayouts {
 public:
  ChangedLayouts(Block* block, const std::vector<Value*>& changed) {
    for (const Value* value : changed) {
      Add(value);
    }
    // Loops and lists lead back to code in front.
    for (size_t before = 0; before != values_.size() + attributes_.size();) {
      before = values_.size() + attributes_.size();
      ForEachNode(block, [&](Node* node) { Follow(*node); });
    }
  }

  bool ReachInputOf(const Node& node) const {
    return absl::c_any_of(node.inputs(),
                          [&](const Value* input) { return Has(input); });
  }

 private:
  bool Has(const Value* value) const { return values_.contains(value); }
  void Add(const Value* value) { values_.insert(value); }
  void AddIf(bool reached, const Value* value) {
    if (reached) {
      Add(value);
    }
  }

  void Follow(Node& node) {
    if (node.kind() == prim::If) {
      for (size_t i = 0; i < node.outputs().size(); ++i) {
        for (const Block* block : node.blocks()) {
          AddIf(Has(block->outputs()[i]), node.output(i));
        }
      }
    } else if (node.kind() == prim::Loop) {
      const Block& body = *node.blocks()[0];
      for (size_t i = 0; i < node.outputs().size(); ++i) {
        const bool is_reached =
            Has(node.input(i + 2)) || Has(body.outputs()[i + 1]);
        AddIf(is_reached, node.output(i));
        AddIf(is_reached, body.inputs()[i + 1]);
      }
    } else if (node.kind() == prim::GetAttr) {
      AddIf(attributes_.contains(node.s(c10::attr::name)), node.output());
    } else if (ReachInputOf(node)) {
      FollowOp(node);
    }
  }

  void FollowOp(const Node& node) {
    for (const Value* output : node.outputs()) {
      Add(output);
    }
    if (node.kind() == prim::SetAttr) {
      attributes_.insert(node.s(c10::attr::name));
    }
    for (const Value* input : node.inputs()) {
      AddIf(MayBeGivenTensors(*input->type()), input);
    }
  }

  llvm::DenseSet<const Value*> values_;
  // Names of attributes that were set to such values.
  absl::flat_hash_set<std::string> attributes_;
};

// True for ops whose result, or whether they succeed, depends on strides.
bool DependsOnLayout(const Node& node) {
  static constexpr absl::string_view kOps[] = {
      "aten::_unsafe_view",  "aten::as_strided", "aten::as_strided_",
      "aten::is_contiguous", "aten::resize_",    "aten::set_",
      "aten::stride",        "aten::view_as",    "aten::view_as_complex"};
  return std::find(std::begin(kOps), std::end(kOps), OpName(node)) !=
         std::end(kOps);
}

// True when `view` may copy instead: nothing that runs after it writes to the
// memory that both sides share.
bool MayCopy(Node* view, const std::vector<Node*>& writers,
             const TensorWrites& writes) {
  return std::none_of(writers.begin(), writers.end(), [&](Node* writer) {
    const bool is_over = RunsBefore(*writer, *view) && !IsInLoop(*writer);
    return !is_over && (writes.MayWrite(writer, view->input(0)) ||
                        writes.MayWrite(writer, view->output()));
  });
}

}  // namespace

bool RelaxLayout(Graph& graph, const std::vector<Value*>& changed) {
  const ChangedLayouts layouts(graph.block(), changed);
  std::vector<Node*> views;
  std::vector<Node*> writers;
  bool depends = false;
  ForEachNode(graph.block(), [&](Node* node) {
    if (layouts.ReachInputOf(*node)) {
      depends = depends || DependsOnLayout(*node);
      if (IsView(*node)) {
        views.push_back(node);
      }
    }
    if (node->blocks().empty() && WorksInPlace(*node)) {
      writers.push_back(node);
    }
  });
  if (depends) {
    return false;
  }
  if (views.empty()) {
    return true;
  }
  const TensorWrites writes(graph);
  if (!std::all_of(views.begin(), views.end(), [&](Node* view) {
        return MayCopy(view, writers, writes);
      })) {
    return false;
  }
  GraphEditor editor(graph, /*context=*/nullptr);
  for (Node* view : views) {
    Node* reshape = editor.InsertBefore(
        *view, graph.create(aten::reshape, view->inputs()), *view);
    editor.ReplaceNode(*view, *reshape->output());
  }
  return true;
}

}  // namespace ns
