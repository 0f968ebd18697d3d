#include "tools/command_line/threads.h"

#include <ATen/Parallel.h>

// The function is missing where LibTorch calls another BLAS. Debian's OpenBLAS
// keeps threads of its own, which LibTorch does not know of.
extern "C" void openblas_set_num_threads(int count) __attribute__((weak));

namespace ns {

void SetThreads(int count) {
  at::set_num_threads(count);
  if (openblas_set_num_threads != nullptr) {
    openblas_set_num_threads(count);
  }
}

}  // namespace ns
