#include "ir/flatten/freeze_attributes.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/alias_analysis.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "llvm/ADT/DenseMap.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;
namespace prim = ::c10::prim;
using Object = c10::ivalue::Object;

// Whether LibTorch makes one constant of `value`.
bool CanFreeze(const c10::IValue& value) {
  if (value.isTensor()) {
    return value.toTensor().defined();
  }
  return value.isScalar() || value.isString() || value.isNone() ||
         (value.isObject() && absl::StartsWith(value.toObject()->name(),
                                               "__torch__.torch.classes."));
}

class Freezer {
 public:
  Freezer(const torch::jit::Module& root, std::shared_ptr<Graph> graph)
      : graph_(std::move(graph)) {
    modules_[graph_->inputs()[0]] = {root._ivalue().get(), "self"};
  }

  // Finds what to replace; false if LibTorch has to decide.
  bool Plan() {
    // LibTorch visits blocks in this order.
    std::vector<Block*> blocks = {graph_->block()};
    while (!blocks.empty()) {
      Block* block = blocks.back();
      blocks.pop_back();
      for (Node* node : block->nodes()) {
        blocks.insert(blocks.end(), node->blocks().begin(),
                      node->blocks().end());
        if (node->kind() == prim::SetAttr || node->kind() == prim::fork ||
            (node->kind() == prim::GetAttr && !PlanRead(*node))) {
          return false;
        }
      }
    }
    return !reads_.empty() && !AnyIsWritten();
  }

  // Replaces it, and returns the constants that hold tensors.
  llvm::DenseSet<const Node*> Run() {
    llvm::DenseSet<const Node*> tensors;
    const torch::jit::WithInsertPoint at_start(*graph_->nodes().begin());
    for (const Read& read : reads_) {
      Value*& constant =
          constants_[{read.owner, read.node->s(c10::attr::name)}];
      if (constant == nullptr) {
        constant = graph_->insertConstant(Frozen(read.value));
        constant->setDebugName(read.path);
        if (read.value.isTensor()) {
          tensors.insert(constant->node());
        }
      }
      read.node->output()->replaceAllUsesWith(constant);
    }
    for (const Read& read : reads_) {
      read.node->destroy();
    }
    return tensors;
  }

 private:
  struct OwnedModule {
    Object* object = nullptr;
    std::string path;  // "self.layer1"
  };

  struct Read {
    Node* node;
    const Object* owner;
    std::string path;  // "self.layer1.weight"
    c10::IValue value;
  };

  // Notes what `node`, a prim::GetAttr, reads; false if LibTorch has to decide.
  bool PlanRead(Node& node) {
    const auto owner = modules_.find(node.input());
    if (owner == modules_.end()) {
      return false;
    }
    // Reading on changes the map.
    Object* const object = owner->second.object;
    const std::string& attribute = node.s(c10::attr::name);
    std::string path = absl::StrCat(owner->second.path, ".", attribute);
    c10::IValue value = object->getAttr(attribute);
    if (value.isModule()) {
      modules_[node.output()] = {value.toObject().get(), std::move(path)};
      return true;
    }
    if (!CanFreeze(value)) {
      return false;
    }
    reads_.push_back({&node, object, std::move(path), std::move(value)});
    return true;
  }

  bool AnyIsWritten() const {
    const torch::jit::AliasDb aliases(graph_,
                                      /*isFrozen=*/true);
    for (const Read& read : reads_) {
      if (aliases.hasOutputWriters(read.node)) {
        return true;
      }
    }
    return false;
  }

  c10::IValue Frozen(const c10::IValue& value) {
    if (value.isTensor() && value.toTensor().requires_grad()) {
      return value.toTensor().detach();
    }
    if (!value.isObject()) {
      return value;
    }
    // An object out of a file owns its class, which a constant may not.
    c10::IValue& copy = objects_[value.toObject().get()];
    if (copy.isNone()) {
      copy = value.toObject()->copy_to_weak_compilation_ref();
    }
    return copy;
  }

  const std::shared_ptr<Graph> graph_;
  llvm::DenseMap<const Value*, OwnedModule> modules_;
  std::vector<Read> reads_;
  // Keyed by the owner and the name of the attribute.
  std::map<std::pair<const Object*, std::string>, Value*> constants_;
  llvm::DenseMap<const Object*, c10::IValue> objects_;
};

}  // namespace

llvm::DenseSet<const Node*> FreezeAttributes(
    const torch::jit::Module& root, const std::shared_ptr<Graph>& graph) {
  if (graph->inputs().empty() ||
      graph->nodes().begin() == graph->nodes().end()) {
    return {};
  }
  Freezer freezer(root, graph);
  return freezer.Plan() ? freezer.Run() : llvm::DenseSet<const Node*>();
}

void RestoreShapes(const llvm::DenseSet<const Node*>& constants, Graph& graph) {
  for (Node* node : graph.nodes()) {
    // A constant that took the place of a destroyed one in memory has a shape.
    const auto type = node->kind() == prim::Constant
                          ? node->output()->type()->cast<c10::TensorType>()
                          : nullptr;
    if (type && !type->isComplete() && constants.contains(node)) {
      node->output()->inferTypeFrom(node->t(c10::attr::value));
    }
  }
}

}  // namespace ns
