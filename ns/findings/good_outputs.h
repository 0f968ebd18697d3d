// Judges a comparison by the tensors that the model returns.
#ifndef NS_FINDINGS_GOOD_OUTPUTS_H_
#define NS_FINDINGS_GOOD_OUTPUTS_H_

#include "ns/result/comparison_result.h"

namespace ns {

// Whether the SQNR of every output of the model (ComparisonResult::
// model_outputs) is `least_db` or more. False where no output was compared, and
// for an SQNR of nan.
bool OutputsReach(const ComparisonResult& result, double least_db);

}  // namespace ns

#endif  // NS_FINDINGS_GOOD_OUTPUTS_H_
