#include "tools/command_line/leaf_hint.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/graph_walk.h"
#include "ir/module_path.h"
#include "ir/node_view.h"

namespace ns {
namespace {

// At most as many modules are named.
constexpr size_t kNamed = 3;

// Modules that are one in the float model and several layers after eager
// quantization.
constexpr const char* kTakenApart[] = {"LSTM", "MultiheadAttention"};

// Returns the paths of the modules of `type` whose own code is in `graph`.
std::set<std::string> ModulesOf(const torch::jit::Graph& graph,
                                absl::string_view type) {
  std::set<std::string> paths;
  ForEachNode(graph.block(), [&](const torch::jit::Node* node) {
    const ModulePath path = ModulePathOf(*node);
    const size_t last = path.type.rfind('.');
    if (!IsLeafCall(*node) && last != absl::string_view::npos &&
        path.type.substr(last + 1) == type) {
      paths.emplace(path.fqn);
    }
  });
  return paths;
}

// Returns the outermost of `modules` that `fqn` is or is inside of; "" for
// none.
std::string ModuleAround(const std::set<std::string>& modules,
                         const std::string& fqn) {
  for (size_t end = fqn.find('.'); end != std::string::npos;
       end = fqn.find('.', end + 1)) {
    if (modules.count(fqn.substr(0, end)) > 0) {
      return fqn.substr(0, end);
    }
  }
  return modules.count(fqn) > 0 ? fqn : "";
}

}  // namespace

std::string LeafHint(const ModelPair& models, const ComparisonResult& result) {
  std::vector<std::string> types;
  std::set<std::string> affected;
  for (const char* type : kTakenApart) {
    std::set<std::string> modules = ModulesOf(models.float_model.graph(), type);
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
    return "";
  }
  std::vector<std::string> names(affected.begin(), affected.end());
  const size_t count = names.size();
  names.resize(std::min(count, kNamed));
  return absl::StrCat(
      "ops of ", absl::StrJoin(names, ", "),
      count > kNamed ? absl::StrCat(" and ", count - kNamed, " others") : "",
      " are unmatched; eager quantization takes such modules apart, and "
      "--leaf=",
      absl::StrJoin(types, ","), " compares each of them as one op");
}

}  // namespace ns
