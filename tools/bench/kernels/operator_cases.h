// The operators of a lowered model that are neither layers nor in
// elementwise_cases.h, as cases: each of ours against LibTorch's, both called
// by name, as an interpreter calls them.
#ifndef TOOLS_BENCH_KERNELS_OPERATOR_CASES_H_
#define TOOLS_BENCH_KERNELS_OPERATOR_CASES_H_

#include <vector>

#include "tools/bench/kernels/operator_case.h"

namespace ns::bench {

// A name says what the input is: "cat 2 x 32 @56" of two with 32 channels and
// 56 rows and columns, batch 1. Inputs are channels-last, but for those of
// element-wise operators and norms of rows. Fewer and smaller ones when
// `quick`.
std::vector<OperatorCase> OperatorCases(bool quick);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OPERATOR_CASES_H_
