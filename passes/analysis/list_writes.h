// Tells which ops change lists, and which lists only one value refers to.
#ifndef PASSES_ANALYSIS_LIST_WRITES_H_
#define PASSES_ANALYSIS_LIST_WRITES_H_

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// True for ops that change the list that is their first input, and no tensor:
// append, extend, insert, pop, remove, clear, reverse, sort, `l[i] = x`,
// `del l[i]`, and add_ and mul_ of lists, which are `+=` and `*=`.
bool WritesToList(const torch::jit::Node& node);

// True when no other value can be the same list as `list`, nor hold it: then
// only the users of `list` can change it. False where that is not known, as for
// the inputs of a graph, and for lists of other ops than prim::ListConstruct,
// aten::list and those that split a tensor.
bool IsPrivateList(const torch::jit::Value& list);

}  // namespace ns

#endif  // PASSES_ANALYSIS_LIST_WRITES_H_
