// Pairs the outputs of prim::If and prim::Loop nodes of two models.
#ifndef PASSES_MATCHING_CONTROL_FLOW_RESULTS_H_
#define PASSES_MATCHING_CONTROL_FLOW_RESULTS_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the indices of the outputs of `a` and `b`, two nodes of one kind,
// that correspond. One model may have more outputs than the other: a value that
// an arm does not change is no output of a prim::If. So outputs with the name
// of one variable are paired (%x0.3 and %x0; then, without the numbers that
// LibTorch adds to names when it saves them, %x0 and %x1), and of the others,
// if there are equally many on both sides, those at the same place. Only values
// of one kind of type are paired.
std::vector<std::pair<size_t, size_t>> PairResults(const torch::jit::Node& a,
                                                   const torch::jit::Node& b);

// True when both have an output with the name of one variable.
bool ShareVariable(const torch::jit::Node& a, const torch::jit::Node& b);

}  // namespace ns

#endif  // PASSES_MATCHING_CONTROL_FLOW_RESULTS_H_
