// Lets kernels share work among threads without knowing whose threads they are.
#ifndef PASSES_KERNELS_PARALLEL_H_
#define PASSES_KERNELS_PARALLEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace ns::kernels {

// Does the tasks begin, ..., end - 1.
using Tasks = absl::FunctionRef<void(int64_t begin, int64_t end)>;

// Calls `tasks` with ranges that together are [0, count), in any order and at
// the same time; returns when all are done. Does nothing when `count` is 0.
// `grain` is the number of tasks from which on another thread pays: a few
// microseconds of work, since a waiting thread takes about one to begin.
// at::parallel_for(0, count, grain, tasks) does all this.
using Parallel =
    absl::FunctionRef<void(int64_t count, int64_t grain, Tasks tasks)>;

// Does all tasks in the calling thread: `Gemm(..., Serial)`.
inline void Serial(int64_t count, int64_t /*grain*/, Tasks tasks) {
  if (count > 0) {
    tasks(0, count);
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_PARALLEL_H_
