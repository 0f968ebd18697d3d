#include "passes/lowering/fold/float_ops_left.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/aliasing/data_inputs.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "passes/lowering/fold/ops_on_quantized.h"
#include "passes/lowering/fold/quantized_behind.h"
#include "passes/lowering/fold/quantized_ops.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool ComputesInFloat(const FoldEditor& editor, const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  const Value* output = TensorOutput(node);
  if (row == nullptr || output == nullptr) {
    return false;
  }
  return row->role == Role::kCompute && !IsQuantizedOp(*row) &&
         !editor.facts().IsLikelyQuantized(*output);
}

std::string ReasonOf(const FoldEditor& editor, const Node& node) {
  const absl::Status rejection = editor.Rejection(&node);
  if (!rejection.ok()) {
    return std::string(rejection.message());
  }
  if (WorksInPlace(node)) {
    return "it works in place on a tensor that other ops see";
  }
  if (FindQuantizedOp(OpName(node)) == nullptr &&
      FindOpOnQuantized(OpName(node)) == nullptr) {
    return "no quantized op computes it";
  }
  const bool has_quantized_input =
      absl::c_any_of(DataInputs(node), [&](const Value* x) {
        return QuantizedBehind(editor.facts(), *x) != nullptr;
      });
  return has_quantized_input
             ? "its output is not quantized"
             : "its input is not dequantized from known quantized values";
}

}  // namespace

void RemarkOnFloatOps(const FoldEditor& editor, PassContext& context,
                      FloatOps* ops) {
  ForEachNode(editor.graph().block(), [&](const Node* node) {
    if (editor.WasDropped(node) || !ComputesInFloat(editor, *node)) {
      return;
    }
    std::string reason = ReasonOf(editor, *node);
    context.Remark(*node, reason);
    if (ops != nullptr) {
      ops->emplace_back(node, std::move(reason));
    }
  });
}

}  // namespace ns
