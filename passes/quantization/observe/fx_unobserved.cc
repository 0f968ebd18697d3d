#include "passes/quantization/observe/fx_unobserved.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Ops whose integers prepare_fx looks back from
// (get_non_observable_arg_indexes_and_types in fx/utils.py).
constexpr absl::string_view kTakeIntegers[] = {
    "aten::permute",   "aten::repeat",    "aten::reshape", "aten::size",
    "aten::transpose", "aten::unsqueeze", "aten::view"};

// Whether `integer` becomes an argument of such an op, as it is or divided.
bool IsArgument(const Value& integer) {
  return absl::c_any_of(integer.uses(), [](const torch::jit::Use& use) {
    const Node& user = *use.user;
    const bool hands_on = user.kind() == c10::prim::ListConstruct ||
                          (OpName(user) == "aten::floordiv" && use.offset == 0);
    return hands_on ? IsArgument(*user.output())
                    : use.offset > 0 &&
                          absl::c_linear_search(kTakeIntegers, OpName(user));
  });
}

}  // namespace

llvm::DenseSet<const Value*> FindUnobservedByFx(
    torch::jit::Graph& graph,
    const std::function<bool(const Node&)>& hands_on) {
  llvm::DenseSet<const Value*> unobserved;
  ForEachNode(graph.block(), [&](Node* node) {
    // `x.size(0)` and not `x.shape[0]`, which has no second input.
    if (OpName(*node) != "aten::size" || node->inputs().size() != 2 ||
        !IsArgument(*node->output())) {
      return;
    }
    const Value* value = node->input(0);
    while (unobserved.insert(value).second && hands_on(*value->node())) {
      value = value->node()->input(0);
    }
  });
  return unobserved;
}

}  // namespace ns
