// Our kernels as an implementation of a layer.
#ifndef TOOLS_KERNEL_BENCH_OURS_H_
#define TOOLS_KERNEL_BENCH_OURS_H_

#include "tools/kernel_bench/problem.h"

namespace ns::bench {

// Gemm or Conv in ChosenIsa(), exact, with LibTorch's threads. Does not outlive
// `problem`.
Implementation Ours(const Problem& problem);

}  // namespace ns::bench

#endif  // TOOLS_KERNEL_BENCH_OURS_H_
