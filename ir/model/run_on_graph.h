// Runs passes on graphs that have no model, as inside a compiler.
#ifndef IR_MODEL_RUN_ON_GRAPH_H_
#define IR_MODEL_RUN_ON_GRAPH_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "ir/graph/pass.h"
#include "ir/graph/pass_context.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Runs `pass` on `graph` in place, and adds its remarks to `context`. No pass
// that loads a model runs before it (ir/model/loading_passes.h): inline and
// freeze the graph first. Where weights are attributes still, most passes
// change nothing, which only their remarks tell.
//
// Returns whether the graph's text or its constants changed. Error: that of the
// pass; one that has to attach attributes fails, since there is no module. The
// graph is then well formed, but may be rewritten in part.
absl::StatusOr<bool> RunOnGraph(const Pass& pass,
                                const std::shared_ptr<torch::jit::Graph>& graph,
                                PassContext& context);

// Wraps `pass` as a plain function, which LibTorch's own pass registration
// takes:
//
//   torch::jit::RegisterPostPass registered(
//       AsGraphFunction(std::make_shared<LowerToFbgemm>()));
//
// The function throws c10::Error "<pass>: <message>" where the pass returns an
// error. Remarks of the pass are dropped.
std::function<void(std::shared_ptr<torch::jit::Graph>&)> AsGraphFunction(
    std::shared_ptr<const Pass> pass);

}  // namespace ns

#endif  // IR_MODEL_RUN_ON_GRAPH_H_
