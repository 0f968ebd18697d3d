// Runs kernels in LibTorch's threads.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_TORCH_PARALLEL_H_
#define PASSES_RUNTIME_FBGEMM_OPS_TORCH_PARALLEL_H_

#include <cstdint>

#include "passes/kernels/parallel.h"

namespace ns {

// A kernels::Parallel that does what at::parallel_for does, on the same threads
// as LibTorch and oneDNN: those of GNU OpenMP. at::parallel_for itself is
// inline and, compiled without -fopenmp, runs everything in the calling thread;
// with clang's -fopenmp, threads of LLVM's OpenMP would be there beside the
// others, each set waiting for work in a loop and in the way of the other.
//
// It runs in one thread where the process has no GNU OpenMP.
void TorchParallel(int64_t count, int64_t grain, kernels::Tasks tasks);

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_TORCH_PARALLEL_H_
