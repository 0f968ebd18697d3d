#include "ns/compare/leaf_modules.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ns/suite/compare_models.h"

namespace ns {
namespace {

// Modules that are one in the float model and several layers after eager
// quantization.
constexpr const char* kTakenApart[] = {"LSTM", "MultiheadAttention"};

// Modules by their paths, with their whole types.
using Modules = std::map<std::string, std::string>;

// Returns the modules of `type`, which has no dots, whose own code is in
// `graph`.
Modules ModulesOf(const torch::jit::Graph& graph, absl::string_view type) {
  Modules modules;
  ForEachNode(graph.block(), [&](const torch::jit::Node* node) {
    const ModulePath path = ModulePathOf(*node);
    const size_t last = path.type.rfind('.');
    if (!IsLeafCall(*node) && last != absl::string_view::npos &&
        path.type.substr(last + 1) == type) {
      modules.emplace(path.fqn, path.type);
    }
  });
  return modules;
}

// Returns the outermost of `modules` that `fqn` is or is inside of; "" for
// none.
std::string ModuleAround(const Modules& modules, const std::string& fqn) {
  for (size_t end = fqn.find('.'); end != std::string::npos;
       end = fqn.find('.', end + 1)) {
    if (modules.count(fqn.substr(0, end)) > 0) {
      return fqn.substr(0, end);
    }
  }
  return modules.count(fqn) > 0 ? fqn : "";
}

// Returns those of `modules` that have another type in the quantized model.
Modules TakenApart(const Modules& modules, const Modules& in_quantized) {
  Modules taken;
  for (const auto& [path, type] : modules) {
    const auto found = in_quantized.find(path);
    if (found != in_quantized.end() && found->second != type) {
      taken.emplace(path, type);
    }
  }
  return taken;
}

// Whether a value inside of `modules` was compared.
bool IsAnyCompared(const Modules& modules, const ComparisonResult& result) {
  return absl::c_any_of(result.layers, [&](const LayerComparison& layer) {
    return layer.activation && layer.activation->elements.value_or(0) > 0 &&
           !ModuleAround(modules, layer.quantized_side.fqn).empty();
  });
}

}  // namespace

std::vector<std::string> FindLeaves(const ModelPair& models,
                                    const BatchReader& batches,
                                    const CompareOptions& options) {
  std::map<std::string, Modules> suspects;
  for (const char* type : kTakenApart) {
    Modules taken = TakenApart(ModulesOf(models.float_model.graph(), type),
                               ModulesOf(models.quantized_model.graph(), type));
    if (!taken.empty()) {
      suspects.emplace(type, std::move(taken));
    }
  }
  if (suspects.empty()) {
    return {};
  }
  CompareOptions trial;
  trial.match = options.match;
  trial.io_types = options.io_types;
  trial.weights = false;
  trial.activations = true;
  trial.is_settled = [](const ComparisonResult&, int64_t) { return true; };
  const absl::StatusOr<ComparisonResult> result =
      CompareModels(models.float_model, models.quantized_model, batches, trial);
  std::vector<std::string> types;
  for (const auto& [type, modules] : suspects) {
    if (result.ok() && !IsAnyCompared(modules, *result)) {
      types.push_back(type);
    }
  }
  return types;
}

std::optional<CompareNotice> UnmatchedInModules(
    const ModelPair& models, const ComparisonResult& result) {
  std::vector<std::string> types;
  std::set<std::string> affected;
  for (const char* type : kTakenApart) {
    Modules modules = ModulesOf(models.float_model.graph(), type);
    modules.merge(ModulesOf(models.quantized_model.graph(), type));
    const size_t before = affected.size();
    for (const UnmatchedNode& node : result.unmatched) {
      const std::string module = ModuleAround(modules, node.fqn);
      if (!module.empty()) {
        affected.insert(module);
      }
    }
    if (affected.size() > before) {
      types.emplace_back(type);
    }
  }
  if (types.empty()) {
    return std::nullopt;
  }
  CompareNotice notice = {CompareNotice::Kind::kUnmatchedInModules};
  notice.types = types;
  notice.modules.assign(affected.begin(), affected.end());
  return notice;
}

}  // namespace ns
