#include "ns/quantization/model/check_is_float.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/str_cat.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/observe/prepared_model.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Packed embeddings are int8 ops that take and give no quantized values.
bool TakesQuantized(const OpRow& row) {
  return row.role == Role::kQuantize || row.role == Role::kDequantize ||
         (TakesInt8(row.numerics) &&
          row.weight_form != WeightForm::kPackedEmbedding);
}

// The first op that only a quantized model has; null for none.
const Node* QuantizedOpIn(torch::jit::Graph& graph) {
  const Node* found = nullptr;
  AnyNode(graph.block(), [&](const Node* node) {
    const OpRow* row = FindOp(OpName(*node));
    found = row != nullptr && TakesQuantized(*row) ? node : nullptr;
    return found != nullptr;
  });
  return found;
}

// Whether the graph calls observers. Loading a prepared model as a float one
// drops the record of it, but not these.
bool CallsObservers(torch::jit::Graph& graph) {
  return AnyNode(graph.block(), [](const Node* node) {
    return OpName(*node) == kObservedWeight || IsObserverCall(*node);
  });
}

}  // namespace

absl::Status CheckIsFloat(const ModelGraph& model) {
  if (IsPrepared(model.module()) || CallsObservers(model.graph())) {
    return absl::InvalidArgumentError(
        "the model is prepared already; calibrate and convert it");
  }
  const Node* quantized = QuantizedOpIn(model.graph());
  return quantized == nullptr
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   absl::StrCat("the model is quantized already: it has ",
                                OpName(*quantized), "; give the float model"));
}

}  // namespace ns
