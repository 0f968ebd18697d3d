// Makes what ops in place compute visible as data flow.
#ifndef IR_FOLLOW_WRITES_H_
#define IR_FOLLOW_WRITES_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Lets the result of an op in place, which is the tensor that it wrote to, be
// used in its stead by all that runs behind the op because the op has run:
//
//   %1 = aten::add_(%x, %y, %one)
//   %z = aten::relu(%x)
// becomes
//   %1 = aten::add_(%x, %y, %one)
//   %z = aten::relu(%1)
//
// That is what source code leaves out in `x.add_(y)`. Writes to views of %x are
// not followed, nor those of one arm of a prim::If to what follows it. Returns
// whether any use changed.
bool FollowWrites(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FOLLOW_WRITES_H_
