// Makes benchmark cases of the operators of a lowered model that are neither
// layers nor in elementwise_cases.h: each ns operator against LibTorch's, both
// called by name, as an interpreter calls them.
#ifndef TOOLS_BENCH_KERNELS_OPERATOR_CASES_H_
#define TOOLS_BENCH_KERNELS_OPERATOR_CASES_H_

#include <vector>

#include "tools/bench/kernels/operator_case.h"

namespace ns::bench {

// Returns the cases. A name says what the input is: "cat 2 x 32 @56" takes two
// images of 32 channels, 56 rows and 56 columns, batch 1. Inputs are
// channels-last; those of element-wise operators, layer norm and instance norm
// are contiguous. With `quick`, the larger half of the cases is left out.
std::vector<OperatorCase> OperatorCases(bool quick);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OPERATOR_CASES_H_
