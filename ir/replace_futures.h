// Values instead of futures.
#ifndef IR_REPLACE_FUTURES_H_
#define IR_REPLACE_FUTURES_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Makes values of the futures in `graph`, of which each prim::fork has been
// replaced by the body that it forks:
//
//   %future : Future(Tensor) = aten::relu(%x)   # was in a forked function
//   %futures : Future(Tensor)[] = prim::ListConstruct(%future)
//   %first : Future(Tensor) = aten::__getitem__(%futures, %zero)
//   %y : Tensor = aten::wait(%first)
// becomes
//   %future : Tensor = aten::relu(%x)
//   %futures : Tensor[] = prim::ListConstruct(%future)
//   %y : Tensor = aten::__getitem__(%futures, %zero)
//
// inside control flow too. What waited uses the value itself: nothing is
// computed in parallel any more, and all of it exactly once, as before.
void ReplaceFuturesByValues(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_REPLACE_FUTURES_H_
