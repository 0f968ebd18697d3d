// The calls that ns check-engine makes.
#ifndef NS_ENGINE_CHECK_ENGINE_CASES_H_
#define NS_ENGINE_CHECK_ENGINE_CASES_H_

#include <vector>

#include "ns/engine_check/engine_case.h"

namespace ns {

// Returns calls of quantized ops over shapes, strides, paddings, dilations,
// groups, scales per tensor and per channel, and memory formats, and of two
// layers whose scales have the same ratio. Cases of one op are next to each
// other. `quick` leaves out most of those that have found no fault of a
// released LibTorch yet.
std::vector<EngineCase> EngineCases(bool quick);

}  // namespace ns

#endif  // NS_ENGINE_CHECK_ENGINE_CASES_H_
