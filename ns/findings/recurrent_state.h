// Tells where errors grow from step to step of what is computed again and
// again.
#ifndef NS_FINDINGS_RECURRENT_STATE_H_
#define NS_FINDINGS_RECURRENT_STATE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns the accumulated SQNR, in dB, of each step of layer `index`: of the
// trips of the loop around it, or of all calls of its module, which stand one
// behind the other where a loop was unrolled. Calls of a module without a
// weight, such as a FloatFunctional, are no steps. Empty for a single step.
std::vector<double> StepsOf(const ComparisonResult& result, size_t index);

// Whether the error of layer `index` grows over at least 3 steps: the SQNR is
// 10 dB or more lower in the last one than in the first.
bool GrowsOverSteps(const ComparisonResult& result, size_t index);

// Returns the layer that GrowsOverSteps and has the lowest SQNR in the last
// step, if that is below 20 dB; of several calls, the first. Absent where all
// outputs of the model have 20 dB: a state that settles takes errors back.
std::optional<size_t> WorstState(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_RECURRENT_STATE_H_
