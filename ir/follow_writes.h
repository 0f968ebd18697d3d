// Makes what ops in place compute visible as data flow.
#ifndef IR_FOLLOW_WRITES_H_
#define IR_FOLLOW_WRITES_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Makes uses of a tensor that an op wrote to in place, where they run behind
// the op, use the result of the op instead, which is the same tensor:
//
//   %1 = aten::add_(%x, %y, %one)
//   %z = aten::relu(%x)
// becomes
//   %1 = aten::add_(%x, %y, %one)
//   %z = aten::relu(%1)
//
// Source code such as `x.add_(y)` leaves this link out. Writes to views of %x
// are not followed, nor those of one arm of a prim::If to what follows it.
// Returns whether any use changed.
bool FollowWrites(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FOLLOW_WRITES_H_
