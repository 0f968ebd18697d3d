#include "passes/kernels/elementwise/min_max.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {

FloatRange MinMax(const float* values, int64_t count, Parallel parallel) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto min_max = ChosenElementwiseKernels().min_max;
  std::mutex mutex;
  FloatRange all{kInfinity, -kInfinity};
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    FloatRange piece{kInfinity, -kInfinity};
    min_max(values + begin, size, &piece.min, &piece.max);
    const std::lock_guard<std::mutex> lock(mutex);
    all.min = std::min(all.min, piece.min);
    all.max = std::max(all.max, piece.max);
  });
  if (all.min > all.max) {
    return {};
  }
  // -0 + 0 is +0, and which zero a search finds first is by chance.
  return {all.min + 0.0f, all.max + 0.0f};
}

}  // namespace ns::kernels
