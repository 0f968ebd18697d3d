#include "passes/lowering/compute_in_float.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/str_cat.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/compute_arguments.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether the float op of the family takes the arguments of `row`, without
// those that describe the output.
bool TakesArgumentsOfFloatOp(const OpRow& row) {
  const FamilyFacts& facts = row.family_row->facts;
  return IsLoweredOp(row.op) && row.numerics == Numerics::kInt8 &&
         row.role == Role::kCompute &&
         facts.range.kind != QuantizedRange::Kind::kOfInput &&
         (facts.reference == ReferenceForm::kSameArguments ||
          facts.reference == ReferenceForm::kCommutative) &&
         (IsElementwise(row) || row.family == "layer_norm");
}

// Whether input `index` of an op of `row` is quantized: the other tensors that
// layer_norm takes are float.
bool IsQuantizedInput(const OpRow& row, const Node& node, size_t index) {
  return IsTensor(*node.input(index)) && (index == 0 || IsElementwise(row));
}

}  // namespace

absl::StatusOr<FloatComputation> ComputeInFloat(GraphEditor& editor,
                                                Node* node) {
  const OpRow* row = FindOp(OpName(*node));
  if (row == nullptr || !TakesArgumentsOfFloatOp(*row)) {
    return Refusal("no op computes the same and gives floats");
  }
  FloatComputation computation;
  const auto input_in_float = [&](size_t index) -> absl::StatusOr<Value*> {
    Value* input = node->input(index);
    if (IsQuantizedInput(*row, *node, index)) {
      NS_ASSIGN_OR_RETURN(
          input, editor.InsertBefore(*node, "ns::fbgemm_dequantize", {input}));
      computation.dequantizes.push_back(input->node());
    }
    return input;
  };
  NS_ASSIGN_OR_RETURN(const ComputeArguments arguments,
                      ComputeArgumentsOf(*node, input_in_float));
  NS_ASSIGN_OR_RETURN(computation.output,
                      editor.InsertBefore(*node, FloatOpOf(*row),
                                          arguments.in_order, arguments.named));
  if (!row->fused_activation.empty()) {
    NS_ASSIGN_OR_RETURN(
        computation.output,
        editor.InsertBefore(*node,
                            absl::StrCat("aten::", row->fused_activation),
                            {computation.output}));
  }
  return computation;
}

}  // namespace ns
