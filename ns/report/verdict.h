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
  // Which layer is to blame and why; layers that lose much and do no harm, as
  // it is taken back; the first fall behind something that only one model has;
  // the first fall of accumulated SQNR that no local error explains; which
  // layers run into the ends of their range, or saturate on the processor that
  // is emulated. All but the first only where they were measured. Control
  // characters in names are escaped.
  std::vector<std::string> sentences;
};

// Returns the verdict; absent where no layer has a weight or a shadow, and
// where inputs hold NaN or infinities. Its layer is that of the
// FirstUnpairedFall (ns/report/error_breakdown.h), with the cause kUnpaired,
// where that is below 20 dB and no layer does as much harm by itself, or is
// wrong in a way that its error need not show, as a missing bias is. Else it is
// that of BlameOf (ns/report/blame.h). A fall that is not the cause comes
// behind it.
std::optional<Verdict> VerdictOf(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_VERDICT_H_
