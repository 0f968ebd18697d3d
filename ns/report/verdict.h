// Says in a few sentences what is wrong with a quantized model.
#ifndef NS_REPORT_VERDICT_H_
#define NS_REPORT_VERDICT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ns/report/error_causes.h"
#include "ns/suite/comparison_result.h"

namespace ns {

struct Verdict {
  // The index of the layer to blame; absent where none is.
  std::optional<size_t> layer;
  // Why; kNone without a layer.
  ErrorCause cause = ErrorCause::kNone;
  // Which layer is to blame and why; the first fall of accumulated SQNR that no
  // local error explains; which layers run into the ends of their range, or
  // saturate on the processor that is emulated. The latter two only where they
  // were measured. Control characters in names are escaped.
  std::vector<std::string> sentences;
};

// Returns the verdict; absent where no layer has a weight or a shadow, and
// where inputs hold NaN or infinities.
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
std::optional<Verdict> VerdictOf(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_VERDICT_H_
