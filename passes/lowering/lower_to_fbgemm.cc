#include "passes/lowering/lower_to_fbgemm.h"

#include <ATen/Context.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <string>

#include "ir/base/status.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "ir/model/rewrite_and_compare.h"
#include "passes/analysis/value_facts.h"
#include "passes/lowering/fuse_lowered.h"
#include "passes/lowering/fuse_sums.h"
#include "passes/lowering/lowered_ops.h"
#include "passes/lowering/lowering_forms.h"
#include "passes/lowering/repack.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Whether `node` is an op that should be lowered, so that a remark is due when
// it stays.
bool IsWorthARemark(const Node& node, const ValueFacts& facts) {
  const OpRow* row = FindOp(OpName(node));
  const Value* output = TensorOutput(node);
  if (row == nullptr || output == nullptr || IsLoweredOp(row->op)) {
    return false;
  }
  return IsQuantizedOp(*row) || row->role == Role::kDequantize ||
         (row->role == Role::kCompute && row->numerics == Numerics::kEither &&
          facts.IsLikelyQuantized(*output));
}

class Lowering {
 public:
  Lowering(const LowerToFbgemmOptions& options, GraphEditor& editor,
           PassContext& context)
      : editor_(editor),
        context_(context),
        round_as_onednn_(options.numerics == kernels::SaturationMode::kExact &&
                         at::globalContext().qEngine() == at::QEngine::ONEDNN),
        repacker_(options.numerics),
        facts_(editor.graph()) {}

  void Run() {
    ForEachNodeInnermostFirst(editor_.graph().block(), [&](Node* node) {
      if (!IsWorthARemark(*node, facts_)) {
        return;
      }
      const absl::Status status = Lower(node);
      if (!status.ok()) {
        context_.Remark(*node, status.message());
      }
    });
  }

 private:
  absl::Status Lower(Node* node) {
    NS_ASSIGN_OR_RETURN(const LoweredOp with, FindLowering(OpName(*node)));
    NS_ASSIGN_OR_RETURN(Value * lowered, InsertOrTakeBack(*node, [&] {
                          return InsertLowered(
                              with.form, node, with.op,
                              {round_as_onednn_, repacker_, facts_});
                        }));
    facts_.Learn(*lowered->node());
    facts_.Forget(*node);
    editor_.ReplaceNode(*node, *lowered);
    return absl::OkStatus();
  }

  GraphEditor& editor_;
  PassContext& context_;
  const bool round_as_onednn_;
  Repacker repacker_;
  ValueFacts facts_;
};

}  // namespace

int64_t CountLoweredOps(const Graph& graph) {
  int64_t count = 0;
  const Block* block = graph.block();
  ForEachNode(block, [&](const Node* node) {
    count += IsLoweredOp(OpName(*node)) ? 1 : 0;
  });
  return count;
}

absl::StatusOr<bool> LowerToFbgemm::Run(ModelGraph& model,
                                        PassContext& context) const {
  return RewriteAndCompare("lowering", model, [&]() -> absl::Status {
    Graph& graph = model.graph();
    GraphEditor editor(graph, &context);
    Lowering(options_, editor, context).Run();
    if (options_.fuse) {
      NS_RETURN_IF_ERROR(FuseLowered(editor));
    }
    if (options_.fuse && options_.fuse_sums) {
      NS_RETURN_IF_ERROR(
          FuseSums(editor, SummedLayers::kConv2d, /*context=*/nullptr)
              .status());
    }
    torch::jit::EliminateDeadCode(graph.block());
    return absl::OkStatus();
  });
}

}  // namespace ns
