// Tells which ops change lists, which lists only one value refers to, and what
// they hold.
#ifndef PASSES_ANALYSIS_LIST_WRITES_H_
#define PASSES_ANALYSIS_LIST_WRITES_H_

#include <optional>
#include <vector>

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// True for ops that change the list that is their first input, and no tensor:
// append, extend, insert, pop, remove, clear, reverse, sort, `l[i] = x`,
// `del l[i]`, and add_ and mul_ of lists, which are `+=` and `*=`.
bool WritesToList(const torch::jit::Node& node);

// True for ops that change lists or dicts, and no tensor: those of
// WritesToList, and `d[key] = x`, update, pop, popitem, setdefault, clear and
// `del d[key]` of dicts. Of no op with blocks.
bool WritesToContainersAlone(const torch::jit::Node& node);

// True when no other value can be the same list as `list`, nor hold it: then
// only the users of `list` can change it. False where that is not known, as for
// the inputs of a graph, and for lists of other ops than prim::ListConstruct,
// aten::list and those that split a tensor.
bool IsPrivateList(const torch::jit::Value& list);

// Returns the elements that `list` has when `place` runs, in order: those that
// prim::ListConstruct made it of, and those that append, insert, extend, `+=`
// and `l[i] = x` put into it since.
//
//   %l = prim::ListConstruct(%a)
//   %1 = aten::append(%l, %b)
//   %c = aten::cat(%l, %dim)       (%a, %b)
//
// Absent where the graph does not tell: for a list that is not private, for
// other ops that change it, for an index that only a run tells, and where the
// list, `place` or what changes it are in different blocks.
std::optional<std::vector<torch::jit::Value*>> ElementsBefore(
    const torch::jit::Value& list, const torch::jit::Node& place);

}  // namespace ns

#endif  // PASSES_ANALYSIS_LIST_WRITES_H_
