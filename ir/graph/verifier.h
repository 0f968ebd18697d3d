// Checks that a graph is well formed, between passes and in their tests.
#ifndef IR_GRAPH_VERIFIER_H_
#define IR_GRAPH_VERIFIER_H_

#include "absl/status/status.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Returns OK when values are defined before they are used, in a block that
// encloses the use; control flow has the blocks and outputs that it must have;
// and every operator exists with the inputs it is given. Otherwise returns an
// internal error that names the node: a pass has a bug.
absl::Status VerifyGraph(const torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_GRAPH_VERIFIER_H_
