// Lets kernels share work among threads without knowing whose threads they are.
#ifndef PASSES_KERNELS_PARALLEL_H_
#define PASSES_KERNELS_PARALLEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace ns::kernels {

// Does the tasks begin, ..., end - 1.
using Tasks = absl::FunctionRef<void(int64_t begin, int64_t end)>;

// Calls `tasks` with ranges that together are [0, count), in any order and at
// the same time; returns when all are done. `grain` tasks at least make it
// worth to hand some to another thread: a few microseconds of one core, as a
// thread that waits for work, like between the ops of a model, takes one to
// begin. at::parallel_for fits.
using Parallel =
    absl::FunctionRef<void(int64_t count, int64_t grain, Tasks tasks)>;

// All in the calling thread. `Gemm(..., Serial)`.
inline void Serial(int64_t count, int64_t /*grain*/, Tasks tasks) {
  if (count > 0) {
    tasks(0, count);
  }
}

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_PARALLEL_H_
