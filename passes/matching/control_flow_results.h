// What prim::If and prim::Loop give in two models.
#ifndef PASSES_MATCHING_CONTROL_FLOW_RESULTS_H_
#define PASSES_MATCHING_CONTROL_FLOW_RESULTS_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Indices of outputs of `a` and `b` that correspond, of two nodes of one kind.
// One model may give more than the other: what an arm does not change is
// nothing that a prim::If gives. So outputs with the name of one variable are
// paired (%x0.3 and %x0; then, without the numbers that LibTorch adds to names
// when it saves them, %x0 and %x1), and of the others, if there are equally
// many on both sides, those at the same place. Only values of one kind of type
// are.
std::vector<std::pair<size_t, size_t>> PairResults(const torch::jit::Node& a,
                                                   const torch::jit::Node& b);

// True when both give a value with the name of one variable.
bool ShareVariable(const torch::jit::Node& a, const torch::jit::Node& b);

}  // namespace ns

#endif  // PASSES_MATCHING_CONTROL_FLOW_RESULTS_H_
