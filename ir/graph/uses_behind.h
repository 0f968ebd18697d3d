// Follows a value to what uses it and to what is computed from it.
#ifndef IR_GRAPH_USES_BEHIND_H_
#define IR_GRAPH_USES_BEHIND_H_

#include "absl/functional/function_ref.h"

namespace torch::jit {
struct Use;
struct Value;
}  // namespace torch::jit

namespace ns {

// Returns whether `found` is true of a use of `value`, or of a use of what it
// becomes. The value itself is followed through control flow, lists, tuples,
// dicts, optional types, views (ir/graph/handed_on.h) and attributes, and for
// each use that `hands_on` is true of, the outputs of the op are followed like
// the value. An element of a tuple or of a list that does not change is told
// from the other elements.
//
//   %r = prim::If(%p)              "softmax" is a use behind %a, if "add" hands
//     block0():                    on
//       %s = aten::add(%a, %m)
//       -> (%s)
//     block1():
//       -> (%a)
//   %y = aten::softmax(%r, %dim)
//
// Where an op in place hands on, so do all uses of the tensor that it writes
// to, whatever their order, and of what that is a view of. Attributes of one
// name are not told apart.
//
// Both functions are called for each use that is reached until one is found;
// `hands_on` is only called for nodes with outputs and without blocks.
bool HasUseBehind(const torch::jit::Value& value,
                  absl::FunctionRef<bool(const torch::jit::Use& use)> hands_on,
                  absl::FunctionRef<bool(const torch::jit::Use& use)> found);

}  // namespace ns

#endif  // IR_GRAPH_USES_BEHIND_H_
