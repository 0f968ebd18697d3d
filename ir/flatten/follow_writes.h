// Makes the results of in-place ops visible as data flow.
#ifndef IR_FLATTEN_FOLLOW_WRITES_H_
#define IR_FLATTEN_FOLLOW_WRITES_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Where an op writes to a tensor in place, lets later uses of that tensor take
// the op's result, which is the same tensor:
//
//   %1 = aten::add_(%x, %y, %one)
//   %z = aten::relu(%x)
// becomes
//   %1 = aten::add_(%x, %y, %one)
//   %z = aten::relu(%1)
//
// Source code such as `x.add_(y)` leaves this link out. Writes to views of %x
// are not followed, nor are writes in an arm of a prim::If, or in the body of a
// loop, to uses behind it. Returns whether any use changed.
bool FollowWrites(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_FOLLOW_WRITES_H_
