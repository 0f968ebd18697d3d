#include "ns/quantization/calibrator.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>

#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "ir/graph_walk.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ns/batches/run_batches.h"
#include "passes/instrument/fuse_float_convs.h"
#include "passes/quantization/prepared_model.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Whether an observer must see the bits that the model computes.
bool HasCompatObserver(const torch::jit::Module& prepared) {
  for (const auto& attribute : prepared.named_attributes(/*recurse=*/false)) {
    const ObserverPtr observer = AttachedObserver(prepared, attribute.name);
    if (observer && observer->config().compat) {
      return true;
    }
  }
  return false;
}

// Makes convolutions use their weights themselves. The ops in between only mark
// them for convert-observers.
void DropObservedWeights(torch::jit::Graph& graph) {
  ForEachNodeInnermostFirst(graph.block(), [](Node* node) {
    if (OpName(*node) == "ns::observed_weight") {
      node->output()->replaceAllUsesWith(node->input(0));
      node->destroy();
    }
  });
}

absl::Status MakeFast(ModelGraph& model) {
  DropObservedWeights(model.graph());
  // In a file, strides are lists that the graph makes.
  NS_RETURN_IF_ERROR(CatchTorchErrors("folding constants", [&] {
    std::shared_ptr<torch::jit::Graph> graph = model.shared_graph();
    torch::jit::ConstantPropagation(graph);
  }));
  absl::flat_hash_set<Node*> convolutions;
  ForEachNode(model.graph().block(), [&](Node* node) {
    if (node->kind() == c10::aten::conv2d ||
        node->kind() == c10::aten::_convolution) {
      convolutions.insert(node);
    }
  });
  return FuseFloatConvs(model, convolutions);
}

}  // namespace

absl::StatusOr<Calibrator> Calibrator::Create(const ModelGraph& prepared) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, prepared.Clone());
  if (!HasCompatObserver(copy.module())) {
    NS_RETURN_IF_ERROR(MakeFast(copy));
  }
  return Calibrator(std::move(copy));
}

absl::Status Calibrator::Run(const Batch& batch, int64_t index) {
  return RunBatch("float", copy_, batch, index).status();
}

}  // namespace ns
