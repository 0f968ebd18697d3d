// Finds the layer that is to blame for the error of a quantized model.
#ifndef NS_REPORT_BLAME_H_
#define NS_REPORT_BLAME_H_

#include <cstddef>
#include <optional>

#include "ns/report/error_causes.h"
#include "ns/suite/comparison_result.h"

namespace ns {

struct Blame {
  // The index of the layer.
  size_t layer = 0;
  ErrorCause cause = ErrorCause::kNone;
};

// Returns the layer to blame; absent where none is.
//
// The layer to blame is the first that applies:
//   1. the first of two layers that run in another order than in the float
//      model, if its activation is below 10 dB or was not measured
//   2. where the WorstOffender (ns/report/error_breakdown.h) clips, the first
//      layer in front of it that has another weight or bias than the float one,
//      or else clips, too, and has a local error that is at most 10 dB smaller:
//      what comes out of it is not what the layers behind were calibrated for
//   3. where nothing but rounding, or nothing at all, explains the error of the
//      WorstOffender, the layer with the largest error of those that have
//      another weight, bias or a far too wide range, if it is at most 10 dB
//      smaller
//   4. the WorstOffender
// Without shadows it is a layer with the weight of another one, or else the one
// with the lowest weight SQNR if that is below 10 dB. A layer from 30 dB on is
// blamed only for a weight that is another one, a bias that is missing, and a
// range that is at least 8 times too wide: a bias that differs is one that was
// corrected.
std::optional<Blame> BlameOf(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_BLAME_H_
