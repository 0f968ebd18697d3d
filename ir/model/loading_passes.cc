#include "ir/model/loading_passes.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/passes/lower_tuples.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/flatten/decompose_fast_paths.h"
#include "ir/flatten/distinct_constants.h"
#include "ir/flatten/drop_exception_checks.h"
#include "ir/flatten/explicit_convolutions.h"
#include "ir/flatten/fold_attributes.h"
#include "ir/flatten/fold_written_constants.h"
#include "ir/flatten/follow_writes.h"
#include "ir/flatten/freeze_attributes.h"
#include "ir/flatten/linear_of_addmm.h"
#include "ir/flatten/pad_nested_tensors.h"
#include "ir/flatten/resolve_identity.h"
#include "ir/flatten/skip_fast_paths.h"
#include "ir/flatten/use_checked_sizes.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ir/model/model_graph.h"
#include "ir/model/rewrite_and_compare.h"
#include "ir/text/text.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;

// True for ops that compute tensors: not for control flow, and not for the
// dequantize that is repeated for each user of one value.
bool IsTensorOp(const Node& node) {
  return !node.kind().is_prim() && node.kind() != c10::aten::dequantize &&
         TensorOutput(node) != nullptr;
}

// Calls `visit` with every tensor op of `block`, inside control flow too.
template <typename Visit>
void ForEachTensorOp(Block* block, const Visit& visit) {
  ForEachNode(block, [&](Node* node) {
    if (IsTensorOp(*node)) {
      visit(node);
    }
  });
}

// Returns how many nodes are in `block` and the blocks inside it, constants not
// counted.
int64_t CountOps(const Block& block) {
  int64_t count = 0;
  ForEachNode(&block, [&](const Node* node) {
    count += node->kind() == c10::prim::Constant ? 0 : 1;
  });
  return count;
}

// Whether some node has a module path, which is part of the graph's text.
bool HasModulePaths(const Block& block) {
  return absl::c_any_of(block.nodes(), [](const Node* node) {
    return !ModulePathOf(*node).type.empty();
  });
}

// Computes all that depends on constants alone. LibTorch asks an alias analysis
// about values that it has replaced since, and so stops at one place or another
// from run to run: without the loop, the same model would give another graph
// each time.
void PropagateAllConstants(std::shared_ptr<Graph> graph) {
  int64_t before = 0;
  do {
    before = CountOps(*graph->block());
  } while (
      torch::jit::ConstantPropagation(graph, /*ignore_custom_classes=*/true) &&
      CountOps(*graph->block()) < before);
}

// Freezes `module` without merging equal ops on equal values, as LibTorch
// would: they are layers of their own here, and need not be equal in the other
// model. So each of them has a number meanwhile.
void FreezeKeepingEqualOps(Module& module, const std::string& method) {
  const c10::Symbol number = c10::Symbol::attr("ns_number");
  int64_t next = 0;
  const std::shared_ptr<Graph> graph = module.get_method(method).graph();
  ForEachTensorOp(graph->block(),
                  [&](Node* node) { node->i_(number, next++); });
  std::vector<std::string> preserved;
  if (method != "forward") {
    preserved.push_back(method);
  }
  const auto constants = FreezeAttributes(module, graph);
  {
    const DistinctConstants distinct(*graph);
    torch::jit::freeze_module_inplace(&module, preserved);
  }
  RestoreShapes(constants, *graph);
  PropagateAllConstants(graph);
  if (FoldWrittenConstants(*graph)) {
    PropagateAllConstants(graph);
  }
  ForEachTensorOp(graph->block(), [&](Node* node) {
    if (node->hasAttribute(number)) {
      node->removeAttribute(number);
    }
  });
}

}  // namespace

absl::StatusOr<bool> InlineModulesPass::Run(ModelGraph& model,
                                            PassContext& /*context*/) const {
  const bool has_paths = HasModulePaths(*model.graph().block());
  // Inlining again would lose the paths.
  if (has_paths && LeafCalls(model.graph()).empty()) {
    return false;
  }
  const std::string before =
      has_paths ? CanonicalText(model.shared_graph()) : "";
  NS_RETURN_IF_ERROR(
      InlineModules(model.module(), model.graph(), is_leaf_).status());
  return has_paths ? CanonicalText(model.shared_graph()) != before
                   : HasModulePaths(*model.graph().block());
}

absl::StatusOr<bool> FreezePass::Run(ModelGraph& model,
                                     PassContext& /*context*/) const {
  if (model.is_frozen()) {
    return false;
  }
  model.set_frozen();
  return RewriteAndCompare("freezing the module", model, [&] {
    if (LeafCalls(model.graph()).empty()) {
      FreezeKeepingEqualOps(model.module(), model.method());
      model.TakeGraphOfMethod();
    } else {
      FoldAttributes(model.module(), model.graph());
      PropagateAllConstants(model.shared_graph());
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> FoldAttributesPass::Run(ModelGraph& model,
                                             PassContext& /*context*/) const {
  return CatchTorchErrors("folding attributes", [&] {
    return FoldAttributes(model.module(), model.graph());
  });
}

absl::StatusOr<bool> TakeSlowPathsPass::Run(ModelGraph& model,
                                            PassContext& /*context*/) const {
  return CatchTorchErrors("taking slow paths", [&] {
    Graph& graph = model.graph();
    bool changed = PadNestedTensors(graph);
    changed |= SkipFastPaths(graph);
    changed |= DecomposeFastPaths(graph);
    // An answer may decide on a branch, and so give the next one.
    bool changes = changed;
    do {
      if (changes) {
        PropagateAllConstants(model.shared_graph());
      }
      changes = ResolveIdentity(graph);
      changes |= UseCheckedSizes(graph);
      changed |= changes;
    } while (changes);
    // What they were read by goes only now.
    if (changed) {
      torch::jit::EliminateDeadCode(model.shared_graph());
      RemoveUnreadModes(graph);
    }
    return changed;
  });
}

absl::StatusOr<bool> ExplicitConvolutionsPass::Run(
    ModelGraph& model, PassContext& /*context*/) const {
  return CatchTorchErrors("giving convolutions their numbers", [&] {
    return MakeConvolutionsExplicit(model.graph());
  });
}

absl::StatusOr<bool> LinearOfAddmmPass::Run(ModelGraph& model,
                                            PassContext& /*context*/) const {
  return CatchTorchErrors("making linear layers of addmm", [&] {
    return MakeLinearLayersOfAddmm(model.graph());
  });
}

absl::StatusOr<bool> DropExceptionChecksPass::Run(
    ModelGraph& model, PassContext& /*context*/) const {
  return CatchTorchErrors("dropping exception checks",
                          [&] { return DropExceptionChecks(model.graph()); });
}

absl::StatusOr<bool> LowerTuplesPass::Run(ModelGraph& model,
                                          PassContext& /*context*/) const {
  return RewriteAndCompare("lowering tuples", model, [&] {
    torch::jit::LowerSimpleTuples(model.shared_graph());
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> FollowWritesPass::Run(ModelGraph& model,
                                           PassContext& /*context*/) const {
  return CatchTorchErrors("following writes",
                          [&] { return FollowWrites(model.graph()); });
}

absl::StatusOr<bool> EliminateDeadCodePass::Run(
    ModelGraph& model, PassContext& /*context*/) const {
  return RewriteAndCompare("eliminating dead code", model, [&] {
    torch::jit::EliminateDeadCode(model.shared_graph());
    return absl::OkStatus();
  });
}

Pipeline LoadingPipeline(LeafPredicate is_leaf, bool freeze) {
  Pipeline pipeline("load");
  pipeline.Add<InlineModulesPass>(std::move(is_leaf));
  if (freeze) {
    pipeline.Add<FreezePass>()
        .Add<FoldAttributesPass>()
        .Add<ExplicitConvolutionsPass>()
        .Add<LinearOfAddmmPass>();
  }
  pipeline.Add<TakeSlowPathsPass>()
      .Add<DropExceptionChecksPass>()
      .Add<LowerTuplesPass>()
      .Add<FollowWritesPass>()
      .Add<EliminateDeadCodePass>();
  return pipeline;
}

}  // namespace ns
