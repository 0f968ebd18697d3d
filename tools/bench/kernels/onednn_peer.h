// oneDNN as an implementation of a layer.
#ifndef TOOLS_BENCH_KERNELS_ONEDNN_PEER_H_
#define TOOLS_BENCH_KERNELS_ONEDNN_PEER_H_

#include <vector>

#include "passes/kernels/isa.h"
#include "tools/bench/kernels/problem.h"

namespace ns::bench {

// Has oneDNN use nothing newer than `isa`, which is at least kAvx2. Call it
// before any primitive is made, also by LibTorch; it returns false when it is
// too late.
bool LimitOneDnn(kernels::Isa isa);

// Returns the implementations of a layer that oneDNN has, with weights in the
// format it asks for, and bias and scales prepared beforehand. The benchmark
// compares with the fastest. They use the input of `problem`, which must
// outlive them:
//
//   matmul, convolution: zero points as attributes
//   ..., folded: the activations' zero point is in the bias, as whoever packs
//     weights can do where nothing is padded
//   inner product: folded only, as it knows no zero points; the output's zero
//     point is a post-op
std::vector<Implementation> OneDnnWays(const Problem& problem);

// Returns the one of `ways` that takes the least time now, each tried for
// `seconds`. `ways` is not empty.
Implementation Fastest(const std::vector<Implementation>& ways, double seconds);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ONEDNN_PEER_H_
