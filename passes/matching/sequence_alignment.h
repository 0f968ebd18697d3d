// Aligns two sequences without changing their order.
#ifndef PASSES_MATCHING_SEQUENCE_ALIGNMENT_H_
#define PASSES_MATCHING_SEQUENCE_ALIGNMENT_H_

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

namespace ns {

// Aligns a sequence of `size_a` elements with one of `size_b`. Returns pairs of
// indices (i, j) for which `related(i, j)` is true. From one pair to the next,
// both indices rise.
//
// If one of the sequences has at most 512 elements, these are as many pairs as
// possible (a longest common subsequence). If both are longer, they are aligned
// in windows of 512 elements of each, one after another, until one of them has
// at most 512 left, so that the work is linear. If a window has no pairs, the
// next one is further on in the sequence that has more left, and in both if
// that is less than 256 more. Elements that are about 500 places or more
// further on in one sequence than in the other, counted from the last pair, may
// be missed then, where others in between are related or the longer sequence is
// not the one with the excess.
std::vector<std::pair<int, int>> AlignSequences(
    int size_a, int size_b, absl::FunctionRef<bool(int, int)> related);

// Returns the indices of a longest strictly rising subsequence of `values`, in
// order. Takes O(n log n) steps.
std::vector<int> LongestRisingSubsequence(const std::vector<int>& values);

}  // namespace ns

#endif  // PASSES_MATCHING_SEQUENCE_ALIGNMENT_H_
