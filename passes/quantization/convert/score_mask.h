// Recognizes attention masks by the values that observers have seen.
#ifndef PASSES_QUANTIZATION_CONVERT_SCORE_MASK_H_
#define PASSES_QUANTIZATION_CONVERT_SCORE_MASK_H_

namespace ns {

class Observer;

// Values that are far below all others, as scores are that a mask of -100, of
// shifted windows, or of -1e9 was added to.
struct MaskedScores {
  // Whether there are any: at least 8 below the others, with nothing in
  // between, so that exponentials of them are below exp(-8) of the least other
  // one.
  bool found = false;
  // The range that the others and zero need.
  double range_of_others = 0;
};

// Returns what `observer` has seen of such values. It finds none where the
// observer keeps no histogram, but the least and the largest value alone.
// Infinite values do not count.
MaskedScores MaskedScoresOf(const Observer& observer);

// Whether what `observer` has seen is a mask that is added to scores: zeros and
// infinities. False for observers that do not keep the least and the largest
// value.
bool IsInfiniteMask(const Observer& observer);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_SCORE_MASK_H_
