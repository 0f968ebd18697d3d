// Aligns two sequences without changing their order.
#ifndef PASSES_MATCHING_SEQUENCE_ALIGNMENT_H_
#define PASSES_MATCHING_SEQUENCE_ALIGNMENT_H_

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

namespace ns {

// Returns pairs (i, j), rising in both, of elements of sequences of length
// `size_a` and `size_b` that are `related`: as many as possible (a longest
// common subsequence) within windows of a few hundred elements, so that the
// work stays linear in the length of long sequences.
std::vector<std::pair<int, int>> AlignSequences(
    int size_a, int size_b, absl::FunctionRef<bool(int, int)> related);

// Returns the indices of a longest strictly rising subsequence of `values`, in
// order. It takes O(n log n) steps.
std::vector<int> LongestRisingSubsequence(const std::vector<int>& values);

}  // namespace ns

#endif  // PASSES_MATCHING_SEQUENCE_ALIGNMENT_H_
