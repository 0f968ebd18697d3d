#include "ns/eager/prepare_model_outputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/graph/module_path.h"
#include "ir/graph/verifier.h"
#include "ns/eager/forward_calls.h"
#include "ns/eager/module_logger.h"
#include "ns/eager/module_tree.h"
#include "ns/eager/output_module_types.h"

namespace ns {
namespace {

using ::torch::jit::Module;
using ::torch::jit::Node;
using Types = std::map<std::string, std::string>;

// Collects the paths of the modules to log: those that one of the models lists,
// and neither leaves out.
class LoggedModules {
 public:
  LoggedModules(const Module& float_module, const Module& quantized_module,
                const OutputOptions& options)
      : types_{TypesByPath(float_module), TypesByPath(quantized_module)} {
    if (options.allow_list) {
      allow_list_ = *options.allow_list;
    } else {
      for (absl::string_view type : DefaultOutputModuleTypes()) {
        allow_list_.emplace_back(type);
      }
    }
  }

  bool Contains(absl::string_view path) const {
    bool is_listed = false;
    for (const Types& types : types_) {
      const auto type = types.find(std::string(path));
      if (type == types.end()) {
        continue;
      }
      if (IsNeverLogged(type->second)) {
        return false;
      }
      is_listed = is_listed || IsTypeListed(type->second, allow_list_);
    }
    return is_listed;
  }

 private:
  Types types_[2];
  std::vector<std::string> allow_list_;
};

// Checks that a list that the user gave, unless it is empty, names a module
// that can be logged.
absl::Status CheckAllowList(const Module& float_module,
                            const Module& quantized_module,
                            const OutputOptions& options) {
  if (!options.allow_list || options.allow_list->empty()) {
    return absl::OkStatus();
  }
  std::set<std::string> types;
  for (const Module& module : {float_module, quantized_module}) {
    // The root itself is never logged.
    for (const auto& child : module.named_children()) {
      const std::vector<std::string> below = TypeNames(child.value);
      types.insert(below.begin(), below.end());
    }
  }
  if (absl::c_any_of(types, [&](const std::string& type) {
        return IsTypeListed(type, *options.allow_list);
      })) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the allow list (", absl::StrJoin(*options.allow_list, ", "),
                   ") names no module of either model; their types are ",
                   types.empty() ? "none: they have no submodules"
                                 : absl::StrJoin(types, ", ")));
}

// PyTorch's suite does not observe arithmetic with a number: its quantized form
// needs no observer.
bool IsObserved(const Node& call, absl::string_view type) {
  const bool is_functional =
      IsTypeNamed(type, "FloatFunctional") || IsTypeNamed(type, "QFunctional");
  return !is_functional || !absl::EndsWith(call.s(c10::attr::name), "_scalar");
}

absl::StatusOr<ModelGraph> AddLoggers(const Module& module,
                                      const std::string& name,
                                      const LoggedModules& logged,
                                      const OutputOptions& output_options) {
  ModelGraphOptions options;
  options.method = output_options.method;
  options.is_leaf = [&](const ModulePath& callee) {
    // The model itself is not logged; functions that it calls have its path.
    return !callee.fqn.empty() && logged.Contains(callee.fqn);
  };
  NS_ASSIGN_OR_RETURN(const ModelGraph shared,
                      ModelGraph::FromModule(module, options));
  NS_ASSIGN_OR_RETURN(ModelGraph model, shared.Clone());
  absl::flat_hash_map<std::string, ModuleLogger> loggers;
  for (Node* call : ForwardCalls(model.graph())) {
    const ModulePath callee = ModulePathOf(*call);
    auto logger = loggers.find(callee.fqn);
    if (logger == loggers.end()) {
      NS_ASSIGN_OR_RETURN(ModuleLogger attached,
                          ModuleLogger::Attach(model, output_options.logger,
                                               ModuleLoggerInfo(callee, name),
                                               /*arity=*/1, call));
      logger = loggers.emplace(callee.fqn, std::move(attached)).first;
    }
    if (IsObserved(*call, callee.type)) {
      NS_RETURN_IF_ERROR(logger->second.Call({call->output()}, call->next()));
    }
  }
  NS_RETURN_IF_ERROR(VerifyGraph(model.graph()));
  return model;
}

}  // namespace

absl::StatusOr<PreparedModels> PrepareModelOutputs(
    const Module& float_module, const Module& quantized_module,
    const OutputOptions& options) {
  NS_RETURN_IF_ERROR(CheckAllowList(float_module, quantized_module, options));
  const LoggedModules logged(float_module, quantized_module, options);
  NS_ASSIGN_OR_RETURN(ModelGraph float_model,
                      AddLoggers(float_module, "float", logged, options));
  NS_ASSIGN_OR_RETURN(
      ModelGraph quantized_model,
      AddLoggers(quantized_module, "quantized", logged, options));
  return PreparedModels{std::move(float_model), std::move(quantized_model)};
}

}  // namespace ns
