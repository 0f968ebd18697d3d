#include "ir/aliasing/written_attributes.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/match.h"
#include "ir/aliasing/written_in_place.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
namespace prim = ::c10::prim;

// Whether `get` reads an attribute of a module that PyTorch observes or
// fake-quantizes with.
bool IsOfObserver(const Node& get) {
  const auto type = get.input(0)->type()->cast<c10::ClassType>();
  if (!type || !type->name()) {
    return false;
  }
  const std::string name = UnmangledTypeName(type->name()->qualifiedName());
  return absl::StartsWith(name, "torch.ao.quantization.") ||
         absl::StartsWith(name, "torch.quantization.");
}

}  // namespace

WrittenAttributes::WrittenAttributes(const torch::jit::Graph& graph) {
  Collect(graph.block());
}

void WrittenAttributes::Collect(const Block* block) {
  ForEachNode(block, [&](const Node* node) {
    if (node->kind() == prim::SetAttr) {
      names_.insert(node->s(c10::attr::name));
    } else if (node->kind() == prim::GetAttr && !IsOfObserver(*node) &&
               IsWrittenInPlace(*node->output())) {
      names_.insert(node->s(c10::attr::name));
    } else if (node->kind() == prim::CallMethod) {
      EnterMethod(*node);
    }
  });
}

void WrittenAttributes::EnterMethod(const Node& call) {
  const auto type = call.input(0)->type()->cast<c10::ClassType>();
  torch::jit::Function* method =
      type ? type->findMethod(call.s(c10::attr::name)) : nullptr;
  if (method == nullptr || !entered_.insert(method).second) {
    return;
  }
  if (auto* function = torch::jit::tryToGraphFunction(*method)) {
    Collect(function->graph()->block());
  }
}

}  // namespace ns
