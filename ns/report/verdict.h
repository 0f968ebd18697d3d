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

// Returns the verdict, whose layer is that of BlameOf (ns/report/blame.h);
// absent where no layer has a weight or a shadow, and where inputs hold NaN or
// infinities.
std::optional<Verdict> VerdictOf(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_VERDICT_H_
