// Tells where a node stands in control flow: in a loop, a block or a branch.
#ifndef IR_GRAPH_CONTROL_FLOW_H_
#define IR_GRAPH_CONTROL_FLOW_H_

namespace torch::jit {
struct Block;
struct Node;
}  // namespace torch::jit

namespace ns {

// True for a node in the body of a prim::Loop, which may run several times.
bool IsInLoop(const torch::jit::Node& node);

// True for a node in `block` or, at any depth, in a block inside it.
bool IsWithin(const torch::jit::Node& node, const torch::jit::Block& block);

// True for a node in a block of `owner`, at any depth.
bool IsInside(const torch::jit::Node& node, const torch::jit::Node& owner);

}  // namespace ns

#endif  // IR_GRAPH_CONTROL_FLOW_H_
