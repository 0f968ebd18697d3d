// Removes branches that only raise an exception, such as checks of shapes.
#ifndef IR_FLATTEN_DROP_EXCEPTION_CHECKS_H_
#define IR_FLATTEN_DROP_EXCEPTION_CHECKS_H_

namespace torch::jit {
struct Block;
struct Graph;
}  // namespace torch::jit

namespace ns {

// Whether running `block` always ends with an exception.
bool AlwaysRaises(const torch::jit::Block& block);

// Replaces every prim::If in which one arm always raises by its other arm. This
// one disappears:
//
//   prim::If(%bad_shape)
//     block0():
//       prim::RaiseException(%message, %class)
//       -> ()
//     block1():
//       -> ()
//
// What computed the condition is left to dead-code elimination. (LibTorch's
// EliminateExceptions does not terminate when two checks share a condition.)
// Returns whether any prim::If was replaced.
bool DropExceptionChecks(torch::jit::Graph& graph);

}  // namespace ns

#endif  // IR_FLATTEN_DROP_EXCEPTION_CHECKS_H_
