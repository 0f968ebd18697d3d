// Quantizing, dequantizing and adding, as cases.
#ifndef TOOLS_KERNEL_BENCH_ELEMENTWISE_CASES_H_
#define TOOLS_KERNEL_BENCH_ELEMENTWISE_CASES_H_

#include <cstdint>
#include <vector>

#include "tools/kernel_bench/operator_case.h"

namespace ns::bench {

std::vector<OperatorCase> ElementwiseCases(int64_t elements);

}  // namespace ns::bench

#endif  // TOOLS_KERNEL_BENCH_ELEMENTWISE_CASES_H_
