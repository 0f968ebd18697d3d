// Replaces futures by values where forked code has been inlined.
#ifndef IR_FLATTEN_REPLACE_FUTURES_H_
#define IR_FLATTEN_REPLACE_FUTURES_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Turns the futures in `graph` into values. Each prim::fork has already been
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
// It does so inside control flow too. Code that waited for a future uses the
// value itself: nothing is computed in parallel any more, and all of it exactly
// once, as before.
void ReplaceFuturesByValues(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_REPLACE_FUTURES_H_
