#include "passes/emulation/add_saturation_counters.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>

#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kPrefix[] = "ns_saturation_";

Value* ReduceRange(Node* node) {
  Value* reduce_range = InputNamed(*node, "reduce_range");
  if (reduce_range != nullptr) {
    return reduce_range;
  }
  torch::jit::WithInsertPoint in_front(node);
  return node->owningGraph()->insertConstant(false);
}

absl::Status InsertCall(ModelGraph& model, const std::string& attribute,
                        const CheckedNode& layer) {
  Node* node = layer.node;
  if (!layer.check.IsPossible()) {
    return InsertMethodCall(model, attribute, "count_outputs", {node->output()},
                            node->next())
        .status();
  }
  // In front: what stands behind may overwrite the input.
  return InsertMethodCall(model, attribute, "count",
                          {node->input(0), node->input(1), ReduceRange(node)},
                          node)
      .status();
}

}  // namespace

absl::StatusOr<std::vector<CountedNode>> AddSaturationCounters(
    ModelGraph& model) {
  std::vector<CountedNode> counted;
  for (const CheckedNode& layer : CheckSaturation(model.graph())) {
    auto counter = c10::make_intrusive<SaturationCounter>();
    NS_RETURN_IF_ERROR(InsertCall(
        model, AttachAttribute(model.module(), kPrefix, c10::IValue(counter)),
        layer));
    counted.push_back({layer.node, layer.check, std::move(counter)});
  }
  return counted;
}

}  // namespace ns
