// oneDNN as an implementation of a layer.
#ifndef TOOLS_BENCH_KERNELS_ONEDNN_PEER_H_
#define TOOLS_BENCH_KERNELS_ONEDNN_PEER_H_

#include <vector>

#include "passes/kernels/isa.h"
#include "tools/bench/kernels/problem.h"

namespace ns::bench {

// Has oneDNN use nothing newer than `isa`, which is at least kAvx2. Before any
// primitive is made, LibTorch's included. False when it is too late.
bool LimitOneDnn(kernels::Isa isa);

// The ways to say a layer in oneDNN, weights in the format it asks for, bias
// and scales prepared beforehand; those that it can do. The fastest is the
// peer:
//
//   matmul, convolution: zero points as attributes
//   ..., folded: the activations' zero point is in the bias, as whoever packs
//     weights can do where nothing is padded. The inner product, which knows no
//     zero points, is only there so; its output's is a post-op.
//
// None outlives `problem`.
std::vector<Implementation> OneDnnWays(const Problem& problem);

// Of these, what takes the least time now, tried for `seconds` each. `ways` is
// not empty.
Implementation Fastest(const std::vector<Implementation>& ways, double seconds);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ONEDNN_PEER_H_
