// Recognises layers of two models by their weights.
#ifndef PASSES_MATCHING_WEIGHT_SIMILARITY_H_
#define PASSES_MATCHING_WEIGHT_SIMILARITY_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "passes/matching/matchable_nodes.h"

namespace ns {

// Pairs nodes of `candidates_a` and `candidates_b`, all of one family and
// weight shape, whose weights agree: each is the other's closest, by at least 6
// dB SQNR (the error of a 2-bit weight; int8 gives 30 dB and more, two
// different layers 0 dB or less), and by 3 dB more than any that is not equal
// to it. A batch norm that follows a node of A and not its partner is folded
// first. Nodes that share one weight are paired in order when there are equally
// many in A and B; otherwise weights do not tell which are missing, and none of
// them is paired.
std::vector<std::pair<int, int>> PairBySimilarWeights(
    const MatchableNodes& a, absl::Span<const int> candidates_a,
    const MatchableNodes& b, absl::Span<const int> candidates_b);

}  // namespace ns

#endif  // PASSES_MATCHING_WEIGHT_SIMILARITY_H_
