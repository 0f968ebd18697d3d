// Finds the out-of-place form of an op in place: aten::relu for aten::relu_.
#ifndef IR_ALIASING_OUT_OF_PLACE_H_
#define IR_ALIASING_OUT_OF_PLACE_H_

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Inserts, before `node`, the op that computes what `node` writes to its first
// input, a tensor, and writes nowhere. It takes the same inputs, and has the
// module path and the source line of `node`. `node` stays as it is.
//
//   %y = aten::add(%x, %z, %one)      is inserted for
//   %1 = aten::add_(%x, %z, %one)
//
// Returns the inserted node; null where there is no such op, as for
// aten::copy_, and for ops that write to something else, too.
torch::jit::Node* InsertOutOfPlace(torch::jit::Node* node);

}  // namespace ns

#endif  // IR_ALIASING_OUT_OF_PLACE_H_
