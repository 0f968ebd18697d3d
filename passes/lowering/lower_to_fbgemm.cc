#include "passes/lowering/lower_to_fbgemm.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <string>
#include <utility>

#include "ir/module_path.h"
#include "ir/node_view.h"
#include "ir/status.h"
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
  explicit Lowering(const LowerToFbgemmOptions& options)
      : repacker_(options.numerics) {}

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
        report_.kept.push_back({std::string(OpName(*node)),
                                CallName(ModulePathOf(*node)),
                                std::string(status.message())});
      }
    }
  }

  // Remarks and replacements.
  LoweringReport TakeReport() { return std::move(report_); }

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
    report_.replacements[node] = (**lowered)->node();
    Replace(node, **lowered);
    return absl::OkStatus();
  }

  Repacker repacker_;
  LoweringReport report_;
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

absl::StatusOr<LoweringReport> LowerToFbgemm(
    Graph& graph, const LowerToFbgemmOptions& options) {
  Lowering lowering(options);
  NS_RETURN_IF_ERROR(CatchTorchErrors("lower-to-fbgemm", [&] {
    lowering.Run(graph.block());
    if (options.fuse) {
      FuseLowered(graph);
    }
    if (options.fuse && options.fuse_sums) {
      FuseSums(graph);
    }
    torch::jit::EliminateDeadCode(graph.block());
  }));
  LoweringReport report = lowering.TakeReport();
  report.lowered = CountLowered(*graph.block());
  return report;
}

}  // namespace ns
