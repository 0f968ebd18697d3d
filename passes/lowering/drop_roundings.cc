#include "passes/lowering/drop_roundings.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/output_scale.h"
#include "passes/lowering/lowered_ops.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

std::vector<Node*> DequantizesOf(GraphEditor& editor) {
  std::vector<Node*> dequantizes;
  ForEachNode(editor.graph().block(), [&](Node* node) {
    if (OpName(*node) == "ns::fbgemm_dequantize") {
      dequantizes.push_back(node);
    }
  });
  return dequantizes;
}

// Returns the inputs of `node` that say what it computes, without the scale and
// zero point of its output.
std::vector<NamedValue> ComputeArguments(Node* node) {
  const int scale = OutputScaleArgument(*node);
  std::vector<NamedValue> arguments;
  for (int i = 0; i < static_cast<int>(node->inputs().size()); ++i) {
    if (scale < 0 || (i != scale && i != scale + 1)) {
      arguments.emplace_back(node->input(i));
    }
  }
  return arguments;
}

class RoundingDropper {
 public:
  RoundingDropper(GraphEditor& editor, PassContext& context)
      : editor_(editor), context_(context) {}

  absl::StatusOr<DroppedRoundings> Run() {
    for (Node* dequantize : DequantizesOf(editor_)) {
      NS_RETURN_IF_ERROR(DropBefore(dequantize));
    }
    return dropped_;
  }

 private:
  // Drops the rounding of what `dequantize` reads, or remarks why it stays.
  absl::Status DropBefore(Node* dequantize) {
    Value* quantized = dequantize->input(0);
    Node* op = quantized->node();
    if (!IsLoweredOp(OpName(*op))) {
      context_.Remark(*dequantize,
                      "what it dequantizes is not the output of an ns op");
      return absl::OkStatus();
    }
    const absl::Status status =
        OnlyUser(*quantized) == dequantize
            ? GiveFloats(op, dequantize)
            : Refusal(
                  "its quantized output is not read by one dequantize "
                  "alone");
    if (IsRefusal(status)) {
      context_.Remark(*op, status.message());
      return absl::OkStatus();
    }
    return status;
  }

  // Replaces `op` and `dequantize`, its only user, by an op that gives floats.
  // Refusal: there is none.
  absl::Status GiveFloats(Node* op, Node* dequantize) {
    NS_ASSIGN_OR_RETURN(const absl::string_view float_op,
                        FindFloatOutput(OpName(*op)));
    NS_ASSIGN_OR_RETURN(
        Value * floats,
        editor_.InsertBefore(*op, float_op, ComputeArguments(op)));
    editor_.Replace(*dequantize->output(), *floats);
    dequantize->destroy();
    editor_.ReplaceNode(*op, *floats);
    ++dropped_.layer_outputs;
    return absl::OkStatus();
  }

  GraphEditor& editor_;
  PassContext& context_;
  DroppedRoundings dropped_;
};

}  // namespace

absl::StatusOr<DroppedRoundings> DropRoundings(ModelGraph& model,
                                               PassContext& context) {
  return CatchTorchErrors(
      "dropping roundings", [&]() -> absl::StatusOr<DroppedRoundings> {
        GraphEditor editor(model.graph(), &context);
        NS_ASSIGN_OR_RETURN(const DroppedRoundings dropped,
                            RoundingDropper(editor, context).Run());
        torch::jit::EliminateDeadCode(model.graph().block());
        return dropped;
      });
}

}  // namespace ns
