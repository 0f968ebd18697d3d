// Our kernels as an implementation of a layer.
#ifndef TOOLS_BENCH_KERNELS_OURS_H_
#define TOOLS_BENCH_KERNELS_OURS_H_

#include "tools/bench/kernels/problem.h"

namespace ns::bench {

// Gemm or Conv in ChosenIsa(), exact, with LibTorch's threads. Does not outlive
// `problem`.
Implementation Ours(const Problem& problem);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OURS_H_
