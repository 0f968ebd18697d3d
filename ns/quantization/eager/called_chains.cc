#include "ns/quantization/eager/called_chains.h"

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/layers/float_subgraphs.h"

namespace ns {
namespace {

using ::torch::jit::Module;
using ::torch::jit::Node;

// How often the flat graph runs an op of a module. A loop whose trips are
// written out has a copy for each, which are calls, too.
class OpCalls {
 public:
  explicit OpCalls(torch::jit::Graph& graph) {
    ForEachNode(graph.block(), [&](const Node* node) { ++calls_[Key(*node)]; });
  }

  int Of(const Node& node) const {
    const auto found = calls_.find(Key(node));
    return found == calls_.end() ? 0 : found->second;
  }

 private:
  static std::pair<std::string, c10::Symbol> Key(const Node& node) {
    return {std::string(ModulePathOf(node).fqn), node.kind()};
  }

  std::map<std::pair<std::string, c10::Symbol>, int> calls_;
};

// Returns the paths of modules that have no other path.
std::set<std::string> OnlyPaths(const Module& model) {
  std::map<const c10::ivalue::Object*, std::vector<std::string>> paths;
  for (const auto& named : model.named_modules()) {
    paths[named.value._ivalue().get()].push_back(named.name);
  }
  std::set<std::string> only;
  for (const auto& [object, names] : paths) {
    if (names.size() == 1) {
      only.insert(names[0]);
    }
  }
  return only;
}

// A chain, and how many of its calls were found.
struct FoundChain {
  CalledChain chain;
  // How often the graph calls the first module, in whatever way.
  int calls = 0;
  int found = 0;
};

// Returns the longest chain that `layer` may be a call of.
FoundChain ChainOf(const FloatSubgraph& layer, const OpCalls& calls,
                   const std::set<std::string>& only_paths,
                   const std::function<bool(absl::string_view)>& is_part) {
  FoundChain found;
  found.found = 1;
  CalledChain& chain = found.chain;
  for (const Node* node : layer.subgraph.nodes) {
    const ModulePath path = ModulePathOf(*node);
    const std::string fqn(path.fqn);
    if (chain.paths.empty()) {
      found.calls = calls.Of(*node);
    }
    if (!is_part(path.type) || only_paths.count(fqn) == 0 ||
        calls.Of(*node) != found.calls ||
        absl::c_linear_search(chain.paths, fqn)) {
      break;
    }
    chain.paths.push_back(fqn);
    chain.types.emplace_back(path.type);
  }
  return found;
}

// Keeps the modules that both chains start with.
void KeepCommonStart(const CalledChain& other, CalledChain& chain) {
  const auto end = std::mismatch(chain.paths.begin(), chain.paths.end(),
                                 other.paths.begin(), other.paths.end())
                       .first;
  const auto size = static_cast<size_t>(end - chain.paths.begin());
  chain.paths.resize(size);
  chain.types.resize(size);
}

}  // namespace

absl::StatusOr<std::vector<CalledChain>> FindCalledChains(
    const Module& model,
    const std::function<bool(absl::string_view type)>& is_part) {
  NS_ASSIGN_OR_RETURN(const ModelGraph flat, ModelGraph::FromModule(model));
  const OpCalls calls(flat.graph());
  const std::set<std::string> only_paths = OnlyPaths(model);
  std::vector<FoundChain> found;
  // Indices into `found`, by the path of the first module.
  std::map<std::string, size_t> indices;
  for (const FloatSubgraph& layer : FindFloatSubgraphs(flat.graph())) {
    FoundChain next = ChainOf(layer, calls, only_paths, is_part);
    if (next.chain.paths.empty()) {
      continue;
    }
    const auto [it, is_new] =
        indices.emplace(next.chain.paths.front(), found.size());
    if (is_new) {
      found.push_back(std::move(next));
    } else {
      FoundChain& known = found[it->second];
      ++known.found;
      KeepCommonStart(next.chain, known.chain);
    }
  }
  std::vector<CalledChain> chains;
  for (FoundChain& next : found) {
    // A call that is part of another chain starts none.
    if (next.found == next.calls) {
      chains.push_back(std::move(next.chain));
    }
  }
  return chains;
}

}  // namespace ns
