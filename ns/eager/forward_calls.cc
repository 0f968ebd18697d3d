#include "ns/eager/forward_calls.h"

#include <torch/csrc/jit/ir/ir.h>

#include <set>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

using ::torch::jit::Node;

bool CallsForward(const Node& call) {
  return IsForward(call.s(c10::attr::name));
}

std::string PathOf(const Node& call) {
  return std::string(ModulePathOf(call).fqn);
}

}  // namespace

bool IsForward(absl::string_view method) {
  if (absl::ConsumePrefix(&method, "forward__")) {
    return !method.empty() && absl::c_all_of(method, absl::ascii_isdigit);
  }
  return method == "forward" || method == "forward_tensor" ||
         method == "forward_packed";
}

std::vector<Node*> ForwardCalls(torch::jit::Graph& graph) {
  const std::vector<Node*> all = LeafCalls(graph);
  std::set<std::string> have_forward;
  for (const Node* call : all) {
    if (CallsForward(*call)) {
      have_forward.insert(PathOf(*call));
    }
  }
  std::vector<Node*> calls;
  for (Node* call : all) {
    if (CallsForward(*call) || have_forward.count(PathOf(*call)) == 0) {
      calls.push_back(call);
    }
  }
  return calls;
}

}  // namespace ns
