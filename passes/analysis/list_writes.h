// Tells which ops change lists, and which lists only one value refers to.
#ifndef PASSES_ANALYSIS_LIST_WRITES_H_
#define PASSES_ANALYSIS_LIST_WRITES_H_

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// True for aten::append and other ops that change the list that is their first
// input, and no tensor.
bool WritesToList(const torch::jit::Node& node);

// True when an op makes `list`, and no other value can be the same list: then
// only the users of `list` can change it.
bool IsPrivateList(const torch::jit::Value& list);

}  // namespace ns

#endif  // PASSES_ANALYSIS_LIST_WRITES_H_
