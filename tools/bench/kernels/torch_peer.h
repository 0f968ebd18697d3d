// This LibTorch's quantized operators as an implementation of a layer.
#ifndef TOOLS_BENCH_KERNELS_TORCH_PEER_H_
#define TOOLS_BENCH_KERNELS_TORCH_PEER_H_

#include <ATen/ATen.h>
#include <ATen/core/stack.h>

#include "tools/bench/kernels/problem.h"

namespace ns::bench {

// The operator's results, found by name as an interpreter finds it.
torch::jit::Stack CallOperator(const char* name, const char* overload,
                               torch::jit::Stack arguments);

// quantized::linear or conv2d, with _relu where the layer has it, weights
// packed for `engine`. `name` is of the implementation.
Implementation TorchLayer(const Problem& problem, at::QEngine engine,
                          const char* name);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_TORCH_PEER_H_
