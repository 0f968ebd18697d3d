#include "passes/quantization/reference/reference_kernel.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/analysis/output_scale.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/reference/float_forms.h"
#include "passes/quantization/reference/reference_ops.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Returns a refusal for a call that no operator takes, and for an op that can
// run on quantized tensors but does not do so here.
absl::Status CheckCall(const Node& node, bool gives_quantized) {
  if (node.maybeSchema() == nullptr) {
    return Refusal("no operator takes its arguments");
  }
  const bool takes_either = FindOp(OpName(node))->numerics == Numerics::kEither;
  return takes_either && !gives_quantized
             ? Refusal("its inputs are not quantized")
             : absl::OkStatus();
}

// Returns `value`, quantized as `node` quantizes its output.
absl::StatusOr<Value*> Quantized(Value* value, Node* node) {
  Graph& graph = *node->owningGraph();
  const int scale = OutputScaleInput(*node);
  const Value* input = FirstDataInput(*node);
  if (scale < 0 || input == nullptr || !IsTensor(*input)) {
    torch::jit::WithInsertPoint behind(node->next());
    return InsertOp(graph, "ns::quantize_like", {value, TensorOutput(*node)});
  }
  NS_ASSIGN_OR_RETURN(Value * dtype, InsertOp(graph, "prim::dtype",
                                              {const_cast<Value*>(input)}));
  return InsertOp(graph, "aten::quantize_per_tensor",
                  {value, node->input(scale), node->input(scale + 1), dtype});
}

// Inserts the reference `op` of `node` at the insertion point, which is in
// front of `node`.
absl::StatusOr<Value*> InsertReference(Node* node, const ReferenceOp& op,
                                       bool gives_quantized) {
  NS_ASSIGN_OR_RETURN(Value * value, InsertInFloat(op.form, node, op.float_op));
  const OpRow* row = FindOp(OpName(*node));
  if (!row->fused_activation.empty()) {
    std::vector<torch::jit::NamedValue> arguments = {value};
    for (const char* name : {"min", "max", "negative_slope"}) {
      if (Value* given = InputNamed(*node, name)) {
        arguments.emplace_back(given);
      }
    }
    NS_ASSIGN_OR_RETURN(
        value,
        InsertOp(*node->owningGraph(),
                 absl::StrCat("aten::", row->fused_activation), arguments));
  }
  return gives_quantized ? Quantized(value, node) : value;
}

}  // namespace

bool GivesQuantized(const Node& node, const ValueFacts& facts) {
  const Value* output = TensorOutput(node);
  return output != nullptr && facts.IsLikelyQuantized(*output);
}

absl::StatusOr<Value*> InsertReferenceKernel(ModelGraph& host, Node* node,
                                             bool gives_quantized) {
  TORCH_INTERNAL_ASSERT(node->owningGraph() == &host.graph());
  NS_ASSIGN_OR_RETURN(const ReferenceOp op, FindReference(OpName(*node)));
  NS_RETURN_IF_ERROR(CheckCall(*node, gives_quantized));
  absl::StatusOr<Value*> reference = InsertOrTakeBack(
      *node, [&] { return InsertReference(node, op, gives_quantized); });
  NS_RETURN_IF_ERROR(
      RefusalOf("its reference cannot be computed", reference.status()));
  return reference;
}

}  // namespace ns
