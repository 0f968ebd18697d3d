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

// Pairs the outputs of `a` and `b`, two prim::If or two prim::Loop. Returns
// pairs of an index into the outputs of `a` and one into those of `b`, in
// ascending order. One node may have more outputs than the other: a value that
// no arm changes is no output of a prim::If. So outputs are paired in steps:
//
//  1. those with the same name, without the number behind a dot: %x0.3 and %x0;
//  2. of the rest, those whose names are the same without all digits at their
//     end: %x0 and %x1. LibTorch changes these digits when it saves a module;
//  3. if both then have equally many left, the first with the first, and so on.
//
// A name that several outputs of one node have pairs none of them. Two outputs
// are only paired when their types are of one c10::TypeKind.
std::vector<std::pair<size_t, size_t>> PairResults(const torch::jit::Node& a,
                                                   const torch::jit::Node& b);

// True when an output of `a` and one of `b` have the same name, as in step 1.
// Their types may differ.
bool ShareVariable(const torch::jit::Node& a, const torch::jit::Node& b);

}  // namespace ns

#endif  // PASSES_MATCHING_CONTROL_FLOW_RESULTS_H_
