#include "passes/quantization/reference_kernel.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "passes/analysis/output_scale.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/float_forms.h"
#include "passes/quantization/reference_ops.h"
#include "passes/rewrite/shadow_casts.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool GivesQuantized(const Node& node) {
  const Value* output = TensorOutput(node);
  return output != nullptr && NumericsOf(*output) == TensorNumerics::kInt8;
}

// Errors: a call that cannot run; an op that could work on quantized tensors
// and does not here.
absl::Status CheckCall(const Node& node) {
  if (node.maybeSchema() == nullptr) {
    return Refusal("no operator takes its arguments");
  }
  const bool takes_either = FindOp(OpName(node))->numerics == Numerics::kEither;
  return takes_either && !GivesQuantized(node)
             ? Refusal("its inputs are not quantized")
             : absl::OkStatus();
}

// `value`, quantized as `node` quantizes its output.
Value* Quantized(Value* value, Node* node) {
  Graph& graph = *node->owningGraph();
  const int scale = OutputScaleInput(*node);
  const Value* input = FirstDataInput(*node);
  if (scale < 0 || input == nullptr || !IsTensor(*input)) {
    torch::jit::WithInsertPoint behind(node->next());
    return graph.insert(c10::Symbol::fromQualString("ns::quantize_like"),
                        {value, TensorOutput(*node)});
  }
  Value* dtype = graph.insert(c10::prim::dtype, {const_cast<Value*>(input)});
  return graph.insert(
      c10::aten::quantize_per_tensor,
      {value, node->input(scale), node->input(scale + 1), dtype});
}

absl::StatusOr<Value*> InsertInFrontOf(Node* node, const ReferenceOp& op) {
  torch::jit::WithInsertPoint in_front(node);
  NS_ASSIGN_OR_RETURN(Value * value, op.form(node, op.float_op));
  const OpRow* row = FindOp(OpName(*node));
  if (!row->fused_activation.empty()) {
    std::vector<torch::jit::NamedValue> arguments = {value};
    for (const char* bound : {"min", "max"}) {
      if (Value* given = InputNamed(*node, bound)) {
        arguments.emplace_back(given);
      }
    }
    value =
        node->owningGraph()->insert(c10::Symbol::fromQualString(absl::StrCat(
                                        "aten::", row->fused_activation)),
                                    arguments);
  }
  return GivesQuantized(*node) ? Quantized(value, node) : value;
}

}  // namespace

absl::StatusOr<Value*> InsertReferenceKernel(ModelGraph& host, Node* node) {
  TORCH_INTERNAL_ASSERT(node->owningGraph() == &host.graph());
  NS_ASSIGN_OR_RETURN(const ReferenceOp op, FindReference(OpName(*node)));
  NS_RETURN_IF_ERROR(CheckCall(*node));
  const Node* before = node->prev();
  absl::StatusOr<Value*> reference = nullptr;
  const absl::Status status =
      CatchTorchErrors("its reference cannot be computed",
                       [&] { reference = InsertInFrontOf(node, op); });
  if (status.ok() && reference.ok()) {
    return reference;
  }
  while (node->prev() != before) {
    node->prev()->destroy();
  }
  return status.ok() ? reference.status() : status;
}

}  // namespace ns
