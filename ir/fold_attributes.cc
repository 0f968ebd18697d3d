#include "ir/fold_attributes.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;

void CollectWritten(const Block* block, std::set<std::string>& names) {
  for (const Node* node : block->nodes()) {
    if (node->kind() == prim::SetAttr) {
      names.insert(node->s(c10::attr::name));
    }
    for (const Block* inner : node->blocks()) {
      CollectWritten(inner, names);
    }
  }
}

// The attributes from `root` down to what `node` reads; empty when it is not
// reached through prim::GetAttr alone.
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

void FoldInBlock(const torch::jit::Module& root, Graph& graph, Block* block,
                 const std::set<std::string>& written) {
  for (auto it = block->nodes().begin(); it != block->nodes().end();) {
    Node* node = *it++;
    for (Block* inner : node->blocks()) {
      FoldInBlock(root, graph, inner, written);
    }
    if (node->kind() != prim::GetAttr ||
        node->output()->type()->kind() != c10::TypeKind::TensorType ||
        written.count(node->s(c10::attr::name)) != 0) {
      continue;
    }
    const std::vector<std::string> path = AttributePath(graph, node);
    if (path.empty()) {
      continue;
    }
    c10::IValue value = root._ivalue();
    std::string name = "self";
    for (const std::string& attribute : path) {
      value = value.toObject()->getAttr(attribute);
      absl::StrAppend(&name, ".", attribute);
    }
    if (!value.isTensor() || !value.toTensor().defined()) {
      continue;
    }
    torch::jit::WithInsertPoint at(node);
    Value* constant = graph.insertConstant(value.toTensor().detach());
    constant->setDebugName(name);
    node->output()->replaceAllUsesWith(constant);
    node->destroy();
  }
}

}  // namespace

void FoldAttributes(const torch::jit::Module& root, Graph& graph) {
  if (graph.inputs().empty()) {
    return;
  }
  std::set<std::string> written;
  CollectWritten(graph.block(), written);
  FoldInBlock(root, graph, graph.block(), written);
}

}  // namespace ns
