#include "passes/lowering/lower_to_fbgemm.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <string>

#include "ir/model_graph.h"
#include "ir/node_view.h"
#include "ir/pass_context.h"
#include "ir/status.h"
#include "ir/text.h"
#include "ir/torch_errors.h"
#include "passes/lowering/fuse_lowered.h"
#include "passes/lowering/lowering_table.h"
#include "passes/lowering/repack.h"
#include "passes/ops/op_table.h"
#include "passes/rewrite/shadow_casts.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Puts `lowered` in the place of `node`, whose name and path it takes.
void Replace(Node* node, Value* lowered) {
  Value* output = node->output();
  lowered->node()->copyMetadata(node);
  lowered->setType(output->type());
  output->replaceAllUsesWith(lowered);
  if (output->hasDebugName()) {
    const std::string name = output->debugName();
    output->setDebugName("");
    lowered->setDebugName(name);
  }
  node->destroy();
}

// Whether a quantized op is what the report should name, when it stays.
bool IsWorthARemark(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  const Value* output = TensorOutput(node);
  if (row == nullptr || output == nullptr || IsLoweredOp(row->op)) {
    return false;
  }
  return IsQuantizedOp(*row) || row->role == Role::kDequantize ||
         (row->role == Role::kCompute && row->numerics == Numerics::kEither &&
          NumericsOf(*output) == TensorNumerics::kInt8);
}

class Lowering {
 public:
  Lowering(const LowerToFbgemmOptions& options, PassContext& context)
      : context_(context), repacker_(options.numerics) {}

  void Run(Block* block) {
    for (auto it = block->nodes().begin(); it != block->nodes().end();) {
      Node* node = *it;
      ++it;
      for (Block* inner : node->blocks()) {
        Run(inner);
      }
      if (!IsWorthARemark(*node)) {
        continue;
      }
      const absl::Status status = Lower(node);
      if (!status.ok()) {
        context_.Remark(*node, status.message());
      }
    }
  }

 private:
  // What was inserted for an op that cannot be lowered stays, unused; it is
  // cleared away at the end.
  absl::Status Lower(Node* node) {
    const LoweringRow* row = FindLowering(OpName(*node));
    if (row == nullptr) {
      return absl::UnimplementedError("no kernel of ours takes its place");
    }
    if (row->form == nullptr) {
      return absl::UnimplementedError(row->reason);
    }
    torch::jit::WithInsertPoint in_front(node);
    absl::StatusOr<absl::StatusOr<Value*>> lowered = CatchTorchErrors(
        row->op, [&] { return row->form(node, row->lowered_op, repacker_); });
    NS_RETURN_IF_ERROR(lowered.status());
    NS_RETURN_IF_ERROR(lowered->status());
    context_.Replaced(*node, *(**lowered)->node());
    Replace(node, **lowered);
    return absl::OkStatus();
  }

  PassContext& context_;
  Repacker repacker_;
};

int64_t CountLowered(const Block& block) {
  int64_t count = 0;
  for (const Node* node : block.nodes()) {
    count += IsLoweredOp(OpName(*node)) ? 1 : 0;
    for (const Block* inner : node->blocks()) {
      count += CountLowered(*inner);
    }
  }
  return count;
}

}  // namespace

int64_t CountLoweredOps(const Graph& graph) {
  return CountLowered(*graph.block());
}

absl::StatusOr<bool> LowerToFbgemm::Run(ModelGraph& model,
                                        PassContext& context) const {
  return CatchTorchErrors("lowering", [&] {
    Graph& graph = model.graph();
    const std::string before = CanonicalText(model.shared_graph());
    Lowering(options_, context).Run(graph.block());
    if (options_.fuse) {
      FuseLowered(graph);
    }
    if (options_.fuse && options_.fuse_sums) {
      FuseSums(graph);
    }
    torch::jit::EliminateDeadCode(graph.block());
    return CanonicalText(model.shared_graph()) != before;
  });
}

}  // namespace ns
