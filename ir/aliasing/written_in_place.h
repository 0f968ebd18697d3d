// Tells whether ops in place change a value, wherever the graph hands it on.
#ifndef IR_ALIASING_WRITTEN_IN_PLACE_H_
#define IR_ALIASING_WRITTEN_IN_PLACE_H_

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// True when an op (WorksInPlace in ir/graph/node_view.h) may write to `value`
// or to a view of it, also behind control flow, and behind lists, tuples and
// dicts: what is read from one that holds `value` counts as `value`.
//
//   %list = prim::ListConstruct(%value, %x)
//   %t = aten::__getitem__(%list, %i)
//   %1 = aten::add_(%t, %y, %one)               writes to %value
//   %2 = aten::append(%list, %z)                does not
//   %3 = aten::cat(%list, %dim)                 does not, nor do writes to %3
//
// Where `value` is a list or dict itself, what changes a container that holds
// it counts, too. What is stored in an attribute, or handed to a module or a
// function that is called, is not followed there. Nor is the order of ops: a
// write counts before the value is put into the list, too.
bool IsWrittenInPlace(const torch::jit::Value& value);

}  // namespace ns

#endif  // IR_ALIASING_WRITTEN_IN_PLACE_H_
