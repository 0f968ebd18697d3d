// Questions about the control flow around nodes.
#ifndef IR_CONTROL_FLOW_H_
#define IR_CONTROL_FLOW_H_

namespace torch::jit {
struct Block;
struct Node;
}  // namespace torch::jit

namespace ns {

// True for nodes that may run several times, in the body of a prim::Loop.
bool IsInLoop(const torch::jit::Node& node);

// True for nodes in `block` or, at any depth, in a block inside.
bool IsWithin(const torch::jit::Node& node, const torch::jit::Block& block);

// True for nodes in a block of `owner`, at any depth.
bool IsInside(const torch::jit::Node& node, const torch::jit::Node& owner);

}  // namespace ns

#endif  // IR_CONTROL_FLOW_H_
