#include "ir/graph/graph_state.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/graph/graph_walk.h"

namespace ns {

using ::torch::jit::AttributeKind;
using ::torch::jit::Graph;
using ::torch::jit::Node;

std::string StateOf(const Graph& graph) {
  std::string state = graph.toString(/*print_source_locations=*/false);
  const auto add = [&](const void* object) {
    absl::StrAppend(&state, "\n", absl::StrFormat("%p", object));
  };
  ForEachNode(graph.block(), [&](const Node* node) {
    for (const c10::Symbol name : node->attributeNames()) {
      const AttributeKind kind = node->kindOf(name);
      if (kind == AttributeKind::t) {
        add(node->t(name).unsafeGetTensorImpl());
      } else if (kind == AttributeKind::ival && node->ival(name).isPtrType()) {
        add(node->ival(name).internalToPointer());
      }
    }
  });
  return state;
}

}  // namespace ns
