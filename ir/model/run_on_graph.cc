#include "ir/model/run_on_graph.h"

#include <c10/util/Exception.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>

#include "ir/model/model_graph.h"

namespace ns {

absl::StatusOr<bool> RunOnGraph(const Pass& pass,
                                const std::shared_ptr<torch::jit::Graph>& graph,
                                PassContext& context) {
  ModelGraph model = ModelGraph::AroundGraph(graph);
  return pass.Run(model, context);
}

std::function<void(std::shared_ptr<torch::jit::Graph>&)> AsGraphFunction(
    std::shared_ptr<const Pass> pass) {
  return [pass = std::move(pass)](std::shared_ptr<torch::jit::Graph>& graph) {
    PassContext context;
    const absl::StatusOr<bool> changed = RunOnGraph(*pass, graph, context);
    TORCH_CHECK(changed.ok(), std::string(pass->name()), ": ",
                std::string(changed.status().message()));
  };
}

}  // namespace ns
