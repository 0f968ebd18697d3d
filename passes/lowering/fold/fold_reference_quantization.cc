#include "passes/lowering/fold/fold_reference_quantization.h"

#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "ir/base/torch_errors.h"
#include "ir/model/model_graph.h"
#include "passes/lowering/fold/float_ops_left.h"
#include "passes/lowering/fold/fold_editor.h"
#include "passes/lowering/fold/fold_float_output.h"
#include "passes/lowering/fold/fold_quantize.h"
#include "passes/lowering/fold/local_mutation.h"
#include "passes/lowering/fold/reshape_views.h"
#include "passes/lowering/fold/run_on_quantized.h"
#include "passes/lowering/fold/sink_quantize.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;

// Returns whether `node` was replaced.
bool Fold(FoldEditor& editor, Node* node) {
  if (node->kind() == c10::aten::quantize_per_tensor) {
    return FoldQuantize(editor, node);
  }
  return RunOnQuantized(editor, node) || FoldFloatOutput(editor, node);
}

// Visits nodes in order of execution, so that the facts of a value are known
// before its users are folded.
void FoldBlock(FoldEditor& editor, Block* block) {
  const std::vector<Node*> nodes(block->nodes().begin(), block->nodes().end());
  for (Node* node : nodes) {
    if (editor.WasDropped(node) || Fold(editor, node)) {
      continue;
    }
    AskQuantizedForShape(editor, node);
    SinkQuantize(editor, node);
    for (Block* inner : node->blocks()) {
      FoldBlock(editor, inner);
    }
    editor.facts().Learn(*node);
  }
}

}  // namespace

absl::StatusOr<bool> FoldReferenceQuantization::Run(
    ModelGraph& model, PassContext& context) const {
  return CatchTorchErrors("folding reference quantization", [&] {
    torch::jit::Graph& graph = model.graph();
    const bool had_mutation = RemoveLocalMutation(graph);
    FoldEditor editor(graph, context,
                      {options_.ns_ops, options_.float_families,
                       options_.float_nodes, options_.chosen_qparams});
    FoldBlock(editor, graph.block());
    RemarkOnFloatOps(editor, context, options_.float_ops);
    if (editor.changed()) {
      ReshapeViews(editor);
    }
    return had_mutation || editor.changed();
  });
}

}  // namespace ns
