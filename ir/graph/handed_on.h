// Finds where a value goes unchanged: through control flow, containers,
// optional types and views.
#ifndef IR_GRAPH_HANDED_ON_H_
#define IR_GRAPH_HANDED_ON_H_

#include <vector>

namespace c10 {
struct AliasInfo;
struct Type;
}  // namespace c10

namespace torch::jit {
struct Use;
struct Value;
}  // namespace torch::jit

namespace ns {

// True for types whose values hold others: lists, tuples, dicts, and optional
// ones.
bool IsContainer(const c10::Type& type);

// Returns what the schema of the op says about the argument; null for nothing.
const c10::AliasInfo* AliasOf(const torch::jit::Use& use);

// Returns the values that may be the value of `use` afterwards, or may hold it
// there:
//   * of a block's return, the output of the prim::If; of a prim::Loop, also
//     what the next trip gets;
//   * of an input that a loop carries, the parameter of its body, and its
//     output;
//   * of a list, tuple or dict that is made of it, and of ops that put it into
//     one (append, insert, `d[k] = x`), the container;
//   * of a container that is read or copied, what is read;
//   * of unchecked casts and unwrapped optionals, and of views, the output.
//
// Empty where the op computes with the value.
std::vector<const torch::jit::Value*> HandedOnTo(const torch::jit::Use& use);

}  // namespace ns

#endif  // IR_GRAPH_HANDED_ON_H_
