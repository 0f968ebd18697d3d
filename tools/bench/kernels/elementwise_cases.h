// Quantizing, dequantizing and adding, as cases.
#ifndef TOOLS_BENCH_KERNELS_ELEMENTWISE_CASES_H_
#define TOOLS_BENCH_KERNELS_ELEMENTWISE_CASES_H_

#include <cstdint>
#include <vector>

#include "tools/bench/kernels/operator_case.h"

namespace ns::bench {

std::vector<OperatorCase> ElementwiseCases(int64_t elements);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ELEMENTWISE_CASES_H_
