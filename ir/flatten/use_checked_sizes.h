// Puts the sizes that a model checks into the code after the checks.
#ifndef IR_FLATTEN_USE_CHECKED_SIZES_H_
#define IR_FLATTEN_USE_CHECKED_SIZES_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces what a check compares with a constant by that constant, in all that
// runs after the check:
//
//   %length : int, %batch : int, %features : int = prim::ListUnpack(%sizes)
//   %good : bool = aten::eq(%features, %sixteen)
//   prim::If(%good)
//     block0():
//       -> ()
//     block1():
//       prim::RaiseException(%message, %class)
//       -> ()
//   %size : int = aten::size(%x, %minus_one)
//
// If %sizes is aten::size(%x), the dimension that %features is the size of is
// known, and so %size is replaced, too. What is computed of such sizes, as the
// parts of a weight, is then constant. To be called before
// DropExceptionChecks, which removes the checks. Returns whether anything was
// replaced.
bool UseCheckedSizes(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_USE_CHECKED_SIZES_H_
