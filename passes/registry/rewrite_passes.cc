#include "passes/registry/rewrite_passes.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/flatten/replace_futures.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/model/model_graph.h"
#include "ir/model/rewrite_and_compare.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/emulation/add_saturation_counters.h"
#include "passes/instrument/pair/fuse_float_convs.h"
#include "passes/lowering/drop_roundings.h"
#include "passes/lowering/fuse_lowered.h"
#include "passes/lowering/fuse_sums.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Returns an error for a graph without a module, which has no place for
// attributes.
absl::Status CheckHasModule(const ModelGraph& model) {
  return model.method().empty()
             ? absl::InvalidArgumentError(
                   "needs a module to hang attributes on; give a model")
             : absl::OkStatus();
}

// Returns an error for a graph with a prim::fork, whose output stays a future.
absl::Status CheckForksAreInlined(const torch::jit::Graph& graph) {
  absl::Status status;
  ForEachNode(graph.block(), [&](const Node* node) {
    if (node->kind() == c10::prim::fork) {
      status.Update(absl::InvalidArgumentError(
          absl::StrCat("the code of prim::fork that makes '", NodeName(*node),
                       "' is not inlined; run inline-modules before")));
    }
  });
  return status;
}

}  // namespace

absl::StatusOr<bool> ReplaceFuturesPass::Run(ModelGraph& model,
                                             PassContext& /*context*/) const {
  NS_RETURN_IF_ERROR(CheckForksAreInlined(model.graph()));
  return RewriteAndCompare("replacing futures", model, [&] {
    ReplaceFuturesByValues(model.graph());
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> FuseLoweredPass::Run(ModelGraph& model,
                                          PassContext& context) const {
  return RewriteAndCompare("fusing lowered ops", model, [&]() -> absl::Status {
    GraphEditor editor(model.graph(), &context);
    NS_RETURN_IF_ERROR(FuseLowered(editor));
    torch::jit::EliminateDeadCode(model.shared_graph());
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> FuseSumsPass::Run(ModelGraph& model,
                                       PassContext& context) const {
  return RewriteAndCompare("fusing sums", model, [&]() -> absl::Status {
    GraphEditor editor(model.graph(), &context);
    NS_RETURN_IF_ERROR(
        FuseSums(editor, SummedLayers::kConv2d, &context).status());
    torch::jit::EliminateDeadCode(model.shared_graph());
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> DropRoundingsPass::Run(ModelGraph& model,
                                            PassContext& context) const {
  return RewriteAndCompare("dropping roundings", model, [&] {
    return DropRoundings(model, context).status();
  });
}

absl::StatusOr<bool> FuseFloatConvsPass::Run(ModelGraph& model,
                                             PassContext& /*context*/) const {
  const llvm::DenseSet<Node*> convolutions = ConvolutionsOf(model.graph());
  if (convolutions.empty()) {
    return false;
  }
  NS_RETURN_IF_ERROR(CheckHasModule(model));
  return RewriteAndCompare("fusing float convolutions", model,
                           [&] { return FuseFloatConvs(model, convolutions); });
}

absl::StatusOr<bool> CountSaturationPass::Run(ModelGraph& model,
                                              PassContext& /*context*/) const {
  NS_RETURN_IF_ERROR(CheckHasModule(model));
  if (model.module().hasattr("ns_saturation_0")) {
    return false;
  }
  return CatchTorchErrors("counting saturation", [&]() -> absl::StatusOr<bool> {
    NS_ASSIGN_OR_RETURN(const std::vector<CountedNode> counted,
                        AddSaturationCounters(model));
    return !counted.empty();
  });
}

}  // namespace ns
