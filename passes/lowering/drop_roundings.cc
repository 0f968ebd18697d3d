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
#include "passes/analysis/compute_arguments.h"
#include "passes/lowering/compute_in_float.h"
#include "passes/lowering/fuse_sums.h"
#include "passes/lowering/lowered_ops.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

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

class RoundingDropper {
 public:
  RoundingDropper(GraphEditor& editor, PassContext& context)
      : editor_(editor), context_(context) {}

  absl::StatusOr<DroppedRoundings> Run() {
    for (Node* dequantize : DequantizesOf(editor_)) {
      NS_RETURN_IF_ERROR(DropBefore(dequantize));
    }
    NS_ASSIGN_OR_RETURN(dropped_.summands,
                        FuseSums(editor_, SummedLayers::kAll, &context_));
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
    const absl::Status status = Drop(op, dequantize);
    if (IsRefusal(status)) {
      context_.Remark(*op, status.message());
      return absl::OkStatus();
    }
    return status;
  }

  // Makes `op` give floats in place of the output of `dequantize`. Refusal: its
  // rounding stays, and so does the graph.
  absl::Status Drop(Node* op, Node* dequantize) {
    if (OnlyUser(*op->output()) != dequantize) {
      return Refusal(
          "its output is not read by a single dequantize in its block");
    }
    if (const absl::string_view float_output = FindFloatOutput(OpName(*op));
        !float_output.empty()) {
      NS_ASSIGN_OR_RETURN(const ComputeArguments arguments,
                          ComputeArgumentsOf(*op, [&](size_t index) {
                            return op->input(index);
                          }));
      NS_ASSIGN_OR_RETURN(
          Value * floats,
          editor_.InsertBefore(*op, float_output, arguments.in_order,
                               arguments.named));
      Replace(op, dequantize, *floats);
      ++dropped_.layer_outputs;
      return absl::OkStatus();
    }
    NS_ASSIGN_OR_RETURN(const FloatComputation computation,
                        ComputeInFloat(editor_, op));
    Replace(op, dequantize, *computation.output);
    ++dropped_.other_outputs;
    for (Node* of_input : computation.dequantizes) {
      NS_RETURN_IF_ERROR(DropBefore(of_input));
    }
    return absl::OkStatus();
  }

  // Replaces `op` and `dequantize`, its only user, by `floats`, which is
  // computed before `op`.
  void Replace(Node* op, Node* dequantize, Value& floats) {
    editor_.Replace(*dequantize->output(), floats);
    dequantize->destroy();
    editor_.ReplaceNode(*op, floats);
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
