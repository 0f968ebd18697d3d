#include "passes/runtime/fbgemm_ops/torch_parallel.h"

#include <ATen/Parallel.h>

#include <algorithm>

// libgomp's entry for `#pragma omp parallel`: `function(data)` in each thread
// of a team of `threads`, or of as many as omp_set_num_threads said for 0.
extern "C" void GOMP_parallel(void (*function)(void*), void* data,
                              unsigned threads, unsigned flags)
    __attribute__((weak));
extern "C" int omp_get_thread_num() __attribute__((weak));
extern "C" int omp_get_num_threads() __attribute__((weak));

namespace ns {
namespace {

struct Region {
  kernels::Tasks tasks;
  int64_t count;
  int64_t chunk;
};

// A thread's chunk, if there is one for it. The same in each call: its part of
// the weights is in its cache. A team may be smaller than it was asked to be
// (OMP_THREAD_LIMIT, OMP_DYNAMIC): its threads then take several.
void RunChunks(void* data) {
  const Region& region = *static_cast<const Region*>(data);
  const int64_t step = omp_get_num_threads() * region.chunk;
  for (int64_t begin = omp_get_thread_num() * region.chunk;
       begin < region.count; begin += step) {
    region.tasks(begin, std::min(region.count, begin + region.chunk));
  }
}

}  // namespace

void TorchParallel(int64_t count, int64_t grain, kernels::Tasks tasks) {
  if (count <= 0) {
    return;
  }
  grain = std::max<int64_t>(1, grain);
  const int64_t threads =
      std::min<int64_t>(at::get_num_threads(), (count + grain - 1) / grain);
  if (threads <= 1 || at::in_parallel_region() || GOMP_parallel == nullptr ||
      omp_get_thread_num == nullptr || omp_get_num_threads == nullptr) {
    tasks(0, count);
    return;
  }
  Region region{tasks, count, (count + threads - 1) / threads};
  // It uses all threads, as LibTorch does: teams that change their size are
  // slow.
  GOMP_parallel(RunChunks, &region, 0, 0);
}

}  // namespace ns
