#include "ns/quantization/eager/outside_reads.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/model/forward_hooks.h"

namespace ns {
namespace {

using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;

// The path, from `self` on, of the module that `value` is; absent for another
// value.
std::optional<std::string> PathOf(const Value* value, const Value* self) {
  if (value == self) {
    return "";
  }
  const Node* node = value->node();
  if (node->kind() != c10::prim::GetAttr) {
    return std::nullopt;
  }
  const std::optional<std::string> owner = PathOf(node->input(), self);
  return owner ? std::make_optional(JoinPath(*owner, node->s(c10::attr::name)))
               : std::nullopt;
}

}  // namespace

std::map<std::string, OutsideRead> TensorsReadOutside(const Module& root) {
  std::map<std::string, OutsideRead> reads;
  std::map<std::string, Module> modules;
  for (const auto& named : root.named_modules()) {
    modules.emplace(named.name, named.value);
  }
  for (const auto& [reader, module] : modules) {
    const auto type = module.type();
    std::vector<torch::jit::Function*> functions = type->methods();
    const std::vector<torch::jit::Function*> hooks = ForwardHooks(*type);
    functions.insert(functions.end(), hooks.begin(), hooks.end());
    for (torch::jit::Function* function : functions) {
      const torch::jit::Graph& graph =
          *torch::jit::toGraphFunction(*function).graph();
      const auto note = [&, &reader = reader](const Node* node) {
        if (node->kind() != c10::prim::GetAttr) {
          return;
        }
        const auto inner = PathOf(node->input(), graph.inputs()[0]);
        if (!inner || inner->empty()) {
          return;
        }
        const std::string owner = JoinPath(reader, *inner);
        const std::string& name = node->s(c10::attr::name);
        const auto found = modules.find(owner);
        if (found != modules.end() && found->second.hasattr(name) &&
            found->second.attr(name).isTensor()) {
          reads.insert({owner, {name, reader}});
        }
      };
      ForEachNode(graph.block(), note);
    }
  }
  return reads;
}

}  // namespace ns
