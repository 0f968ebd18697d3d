// Finds quantized products of which a root, a logarithm or a division needs the
// small values.
#ifndef NS_FINDINGS_COARSE_SQUARES_H_
#define NS_FINDINGS_COARSE_SQUARES_H_

#include <cstddef>
#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

struct CoarseSquares {
  // The product, and the layer that makes a large error of its small one.
  size_t layer = 0;
  size_t reader = 0;
  // The accumulated SQNR, in dB, of the worst input of the reader, and of the
  // reader; -inf where that is nan.
  double before_db = 0;
  double after_db = 0;
};

// Returns the quantized product whose reader falls most: by 10 dB or more below
// all that flows into it. A product is a layer of the family mul or pow; its
// readers are roots, logarithms, divisions and powers of it, or of what ops
// without a weight sum up, average, clamp or move of it. Absent where there is
// none, and where every output of the model has 30 dB or more.
std::optional<CoarseSquares> FindCoarseSquares(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_COARSE_SQUARES_H_
