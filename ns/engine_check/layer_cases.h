// The calls of layers with weights that ns check-engine makes.
#ifndef NS_ENGINE_CHECK_LAYER_CASES_H_
#define NS_ENGINE_CHECK_LAYER_CASES_H_

#include <vector>

#include "ns/engine_check/engine_case.h"

namespace ns {

// Returns calls of convolutions and linear layers over shapes, strides,
// paddings, dilations, groups, scales and memory formats, and of two layers
// whose scales have the same ratio. `quick` is as of EngineCases
// (engine_cases.h).
std::vector<EngineCase> LayerCases(bool quick);

}  // namespace ns

#endif  // NS_ENGINE_CHECK_LAYER_CASES_H_
