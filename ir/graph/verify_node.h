// Checks that one node has the blocks, inputs, outputs and attributes that its
// kind requires.
#ifndef IR_GRAPH_VERIFY_NODE_H_
#define IR_GRAPH_VERIFY_NODE_H_

#include "absl/status/status.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Checks `node`, but not the nodes in its blocks. LibTorch takes for granted
// that, for example, prim::Loop has one block, and that prim::TupleUnpack
// unpacks a tuple: it reads what is not there otherwise. Error, a phrase that
// continues "<op> ": which rule the node breaks.
absl::Status VerifyNode(const torch::jit::Node& node);

}  // namespace ns

#endif  // IR_GRAPH_VERIFY_NODE_H_
