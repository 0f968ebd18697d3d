// Questions about the control flow around nodes.
#ifndef IR_CONTROL_FLOW_H_
#define IR_CONTROL_FLOW_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// True for nodes that may run several times, in the body of a prim::Loop.
bool IsInLoop(const torch::jit::Node& node);

}  // namespace ns

#endif  // IR_CONTROL_FLOW_H_
