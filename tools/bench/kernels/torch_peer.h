// Runs the quantized operators of this LibTorch, to compare layers with them.
#ifndef TOOLS_BENCH_KERNELS_TORCH_PEER_H_
#define TOOLS_BENCH_KERNELS_TORCH_PEER_H_

#include <ATen/ATen.h>
#include <ATen/core/stack.h>

#include "tools/bench/kernels/problem.h"

namespace ns::bench {

// Calls the operator `name`, "quantized::linear_prepack", with all of its
// arguments in order, and returns its results. Throws c10::Error where there is
// no such operator, or it fails.
torch::jit::Stack CallOperator(const char* name, const char* overload,
                               torch::jit::Stack arguments);

// Returns quantized::linear or conv2d on a copy of the problem's data, with
// _relu where the layer has it, and weights packed for `engine`. `name` is that
// of the implementation. This and each run set LibTorch's quantized engine to
// `engine`, and leave it so. Throws c10::Error where the engine cannot pack the
// weights.
Implementation TorchLayer(const Problem& problem, at::QEngine engine,
                          const char* name);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_TORCH_PEER_H_
