#include "ns/eager/prepare_model_with_stubs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/graph/verifier.h"
#include "ns/eager/forward_calls.h"
#include "ns/eager/module_logger.h"
#include "ns/eager/module_tree.h"
#include "ns/eager/shadow.h"
#include "passes/runtime/loggers/shadow_logger.h"

namespace ns {
namespace {

using ::torch::jit::Module;
using ::torch::jit::Node;

// Float modules, by the path of the quantized module that they shadow.
using FloatModules = std::map<std::string, Module>;

void FindShadows(const Module& float_module, const Module& quantized_module,
                 const std::vector<std::string>& swap_list,
                 const std::string& path, FloatModules& found) {
  for (const auto& child : quantized_module.named_children()) {
    if (!float_module.hasattr(child.name) ||
        !float_module.attr(child.name).isModule()) {
      continue;
    }
    const Module counterpart = float_module.attr(child.name).toModule();
    const std::string child_path = JoinPath(path, child.name);
    if (!IsTypeListed(TypeNameOf(counterpart), swap_list)) {
      FindShadows(counterpart, child.value, swap_list, child_path, found);
    } else if (TypeNames(counterpart) != TypeNames(child.value)) {
      found.emplace(child_path, counterpart);
    }
  }
}

absl::Status CheckSwapList(const Module& float_module,
                           const std::vector<std::string>& swap_list) {
  std::set<std::string> types;
  // The root itself cannot be shadowed.
  for (const auto& child : float_module.named_children()) {
    const std::vector<std::string> below = TypeNames(child.value);
    types.insert(below.begin(), below.end());
  }
  for (const std::string& type : types) {
    if (IsTypeListed(type, swap_list)) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the swap list (", absl::StrJoin(swap_list, ", "),
                   ") names no module of the float model; its types are ",
                   types.empty() ? "none: it has no submodules"
                                 : absl::StrJoin(types, ", ")));
}

LoggerFactory FactoryFor(const StubOptions& options, const Node& call) {
  if (options.logger) {
    return options.logger;
  }
  const bool is_tensor =
      call.output()->type()->isSubtypeOf(*c10::TensorType::get());
  const bool cut = options.compat && is_tensor;
  return [cut](const LoggerInfo&) -> absl::StatusOr<c10::IValue> {
    return c10::IValue(c10::make_intrusive<ShadowLogger>(cut));
  };
}

}  // namespace

absl::StatusOr<ModelGraph> PrepareModelWithStubs(
    const Module& float_module, const Module& quantized_module,
    const std::vector<std::string>& module_swap_list,
    const StubOptions& options) {
  NS_RETURN_IF_ERROR(CheckSwapList(float_module, module_swap_list));
  FloatModules float_modules;
  FindShadows(float_module, quantized_module, module_swap_list, "",
              float_modules);
  ModelGraphOptions graph_options;
  graph_options.method = options.method;
  graph_options.is_leaf = [&](const ModulePath& callee) {
    return float_modules.count(std::string(callee.fqn)) != 0;
  };
  NS_ASSIGN_OR_RETURN(ModelGraph model,
                      ModelGraph::FromModule(quantized_module, graph_options));
  absl::flat_hash_map<std::string, Shadow> shadows;
  for (Node* call : ForwardCalls(model.graph())) {
    const ModulePath callee = ModulePathOf(*call);
    const std::string path(callee.fqn);
    auto shadow = shadows.find(path);
    if (shadow == shadows.end()) {
      NS_ASSIGN_OR_RETURN(
          ModuleLogger logger,
          ModuleLogger::Attach(model, FactoryFor(options, *call),
                               ModuleLoggerInfo(callee, "quantized"),
                               /*arity=*/2, call));
      NS_ASSIGN_OR_RETURN(
          Shadow attached,
          Shadow::Attach(model, float_modules.at(path), std::move(logger)));
      shadow = shadows.emplace(path, std::move(attached)).first;
    }
    NS_RETURN_IF_ERROR(shadow->second.Follow(call));
  }
  NS_RETURN_IF_ERROR(VerifyGraph(model.graph()));
  return model;
}

}  // namespace ns
