#include "ns/quantization/eager/missing_stub.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/str_cat.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "passes/analysis/value_facts.h"

namespace ns {

using ::torch::jit::Node;
using ::torch::jit::Value;

std::string DescribeMissingStub(const torch::jit::Graph& graph) {
  const ValueFacts facts(graph);
  const Node* first = nullptr;
  const auto look_at = [&](const Value& value, bool may_be_float) {
    const Node* taker = facts.TakerOfQuantized(value);
    if (may_be_float && taker != nullptr &&
        (first == nullptr || taker->isBefore(first))) {
      first = taker;
    }
  };
  // Nothing is known of inputs, which the user gives.
  for (const Value* input : graph.inputs()) {
    look_at(*input, /*may_be_float=*/true);
  }
  ForEachNode(graph.block(), [&](const Node* node) {
    for (const Value* output : node->outputs()) {
      look_at(*output, facts.Sure(*output).is_quantized.Is(false));
    }
  });
  return first == nullptr
             ? ""
             : absl::StrCat("module '", ModulePathOf(*first).fqn, "' (",
                            first->kind().toQualString(),
                            ") is given values in float; put a QuantStub "
                            "before it, or let it stay float");
}

}  // namespace ns
