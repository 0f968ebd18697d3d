// Makes benchmark cases of quantizing, dequantizing and adding.
#ifndef TOOLS_BENCH_KERNELS_ELEMENTWISE_CASES_H_
#define TOOLS_BENCH_KERNELS_ELEMENTWISE_CASES_H_

#include <cstdint>
#include <vector>

#include "tools/bench/kernels/operator_case.h"

namespace ns::bench {

// Returns three cases on random tensors of `elements` elements, a multiple of
// 1024: quantize, dequantize, and a quantized add with relu.
std::vector<OperatorCase> ElementwiseCases(int64_t elements);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ELEMENTWISE_CASES_H_
