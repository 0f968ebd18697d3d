// Tells whether a graph is as it was.
#ifndef IR_GRAPH_GRAPH_STATE_H_
#define IR_GRAPH_GRAPH_STATE_H_

#include <string>

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Returns a text that is the same as long as a graph has the same nodes, in the
// same order, on values with the same names and types, and the same constants.
// Of constants, IR text shows numbers and strings alone: tensors and objects
// are the same while they are one object. Source lines do not count.
std::string StateOf(const torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_GRAPH_GRAPH_STATE_H_
