// Pairs layers of two models whose weights are alike.
#ifndef PASSES_MATCHING_WEIGHT_SIMILARITY_H_
#define PASSES_MATCHING_WEIGHT_SIMILARITY_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "passes/matching/matchable_nodes.h"

namespace ns {

// `candidates_a` are indices into `a`, and `candidates_b` into `b`. The caller
// passes only nodes of one family whose first weights have one shape. Returns
// pairs of such indices, (of A, of B), in the order of `candidates_b`.
//
// How alike two nodes are is the SQNR of the weight of B against that of A. Two
// nodes are paired if
//
// - it is at least 6 dB, the error of a 2-bit weight (int8 gives 30 dB and
//   more, two different layers 0 dB or less); and
// - for both, it is at least 3 dB more than with any other candidate, except
//   those with which it is equal.
//
// If a batch norm follows a node of either model and can be folded into it, the
// weight is compared both with and without the norm, and the better of the two
// counts.
//
// Several nodes of A and B are equally alike when they share one weight. They
// are paired in order if there are as many in A as in B. Otherwise the weights
// do not tell which are missing, and none of them is paired.
std::vector<std::pair<int, int>> PairBySimilarWeights(
    const MatchableNodes& a, absl::Span<const int> candidates_a,
    const MatchableNodes& b, absl::Span<const int> candidates_b);

}  // namespace ns

#endif  // PASSES_MATCHING_WEIGHT_SIMILARITY_H_
