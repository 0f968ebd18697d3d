// Removes checks that only raise.
#ifndef IR_DROP_EXCEPTION_CHECKS_H_
#define IR_DROP_EXCEPTION_CHECKS_H_

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Replaces every prim::If of which one arm always raises by the other arm:
//
//   prim::If(%bad_shape)
//     block0():
//       prim::RaiseException(%message, %class)
//       -> ()
//     block1():
//       -> ()
//
// goes. What computed the condition is left to dead-code elimination.
// (LibTorch's EliminateExceptions does not end when two checks share a
// condition.) Returns whether there was any.
bool DropExceptionChecks(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_DROP_EXCEPTION_CHECKS_H_
