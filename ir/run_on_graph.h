// Runs passes in a compiler that has graphs and no models.
#ifndef IR_RUN_ON_GRAPH_H_
#define IR_RUN_ON_GRAPH_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "ir/pass.h"
#include "ir/pass_context.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Runs `pass` on `graph` itself. Returns whether it changed the graph. Error:
// that of the pass, also where it attaches attributes to a module, since there
// is none here.
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

#endif  // IR_RUN_ON_GRAPH_H_
