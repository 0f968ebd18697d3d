#include "ir/flatten/fold_attributes.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/aliasing/written_attributes.h"
#include "ir/graph/graph_walk.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

// True for values that code can change only by writing the attribute. Tensors
// count as such, as FoldAttributes says, and so do the objects that hold packed
// weights.
bool CanFold(const c10::IValue& value) {
  if (value.isTensor()) {
    return value.toTensor().defined();
  }
  if (value.isObject()) {
    return absl::StartsWith(value.toObject()->name(),
                            "__torch__.torch.classes.quantized.") ||
           absl::StartsWith(value.toObject()->name(),
                            "__torch__.torch.classes.rnn.");
  }
  return value.isScalar() || value.isString() || value.isNone();
}

// Returns the attribute names from `root` down to what `node` reads. Empty when
// it is not reached through prim::GetAttr alone.
std::vector<std::string> AttributePath(const Graph& graph, const Node* node) {
  std::vector<std::string> names;
  for (;;) {
    names.insert(names.begin(), node->s(c10::attr::name));
    const Value* owner = node->input(0);
    if (owner == graph.inputs()[0]) {
      return names;
    }
    node = owner->node();
    if (node->kind() != prim::GetAttr) {
      return {};
    }
  }
}

// Replaces `node`, a prim::GetAttr, by a constant, and returns whether it
// could.
bool Fold(const torch::jit::Module& root, const WrittenAttributes& written,
          Graph& graph, Node* node) {
  const std::vector<std::string> path = AttributePath(graph, node);
  const bool is_written = std::any_of(
      path.begin(), path.end(),
      [&](const std::string& name) { return written.Contains(name); });
  if (path.empty() || is_written) {
    return false;
  }
  c10::IValue value = root._ivalue();
  std::string name = "self";
  for (const std::string& attribute : path) {
    value = value.toObject()->getAttr(attribute);
    absl::StrAppend(&name, ".", attribute);
  }
  if (!CanFold(value)) {
    return false;
  }
  if (value.isTensor()) {
    value = value.toTensor().detach();
  } else if (value.isObject()) {
    // An object out of a file owns its class, which a constant may not.
    value = value.toObject()->copy_to_weak_compilation_ref();
  }
  torch::jit::WithInsertPoint at(node);
  const auto constant_value = torch::jit::tryInsertConstant(graph, value);
  if (!constant_value) {
    return false;
  }
  Value* constant = *constant_value;
  constant->setDebugName(name);
  node->output()->replaceAllUsesWith(constant);
  node->destroy();
  return true;
}

}  // namespace

bool FoldAttributes(const torch::jit::Module& root, Graph& graph) {
  if (graph.inputs().empty()) {
    return false;
  }
  const WrittenAttributes written(graph);
  bool changed = false;
  ForEachNodeInnermostFirst(graph.block(), [&](Node* node) {
    if (node->kind() == prim::GetAttr) {
      changed |= Fold(root, written, graph, node);
    }
  });
  return changed;
}

}  // namespace ns
