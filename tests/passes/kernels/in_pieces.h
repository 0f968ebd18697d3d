// A kernels::Parallel for tests: tasks come in pieces, and not in order.
#ifndef TESTS_PASSES_KERNELS_IN_PIECES_H_
#define TESTS_PASSES_KERNELS_IN_PIECES_H_

#include <algorithm>
#include <cstdint>

#include "passes/kernels/parallel.h"

namespace ns::kernels {

// Does three tasks at a time, the last ones first, in this thread.
inline void InPieces(int64_t count, int64_t /*grain*/, Tasks tasks) {
  for (int64_t end = count; end > 0; end -= 3) {
    tasks(std::max<int64_t>(end - 3, 0), end);
  }
}

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_IN_PIECES_H_
