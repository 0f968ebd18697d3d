// Which ops change lists, and which lists are seen through one value alone.
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

// True when `list` is made by an op, and no other value can be the same list:
// all that is written to it is written by its own users.
bool IsPrivateList(const torch::jit::Value& list);

}  // namespace ns

#endif  // PASSES_ANALYSIS_LIST_WRITES_H_
