// The ns kernels as an implementation of a layer.
#ifndef TOOLS_BENCH_KERNELS_OURS_H_
#define TOOLS_BENCH_KERNELS_OURS_H_

#include "tools/bench/kernels/problem.h"

namespace ns::bench {

// Returns Gemm for a linear layer, else Conv: in ChosenIsa(), with
// SaturationMode::kExact and LibTorch's threads. `problem` must outlive it.
Implementation Ours(const Problem& problem);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_OURS_H_
