#include "ns/eager/paths_in_loops.h"

#include <torch/csrc/jit/ir/ir.h>

#include "ir/flatten/inline_modules.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/module_path.h"

namespace ns {

std::set<std::string> PathsInLoops(torch::jit::Graph& graph) {
  std::set<std::string> paths;
  for (const torch::jit::Node* call : LeafCalls(graph)) {
    if (IsInLoop(*call)) {
      paths.insert(std::string(ModulePathOf(*call).fqn));
    }
  }
  return paths;
}

}  // namespace ns
