// The shapes of tensors that an op takes.
#ifndef PASSES_OPS_SHAPE_LIMITS_H_
#define PASSES_OPS_SHAPE_LIMITS_H_

#include <cstdint>
#include <limits>

namespace ns {

// All by default.
struct ShapeLimits {
  static constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

  // The numbers of dimensions, both included.
  int64_t least = 0;
  int64_t most = kAny;
  // Whether, of four or five dimensions, all but the first two may have a size
  // of 1: images of one pixel.
  bool single_pixels = true;

  constexpr bool IsAll() const {
    return least == 0 && most == kAny && single_pixels;
  }
};

}  // namespace ns

#endif  // PASSES_OPS_SHAPE_LIMITS_H_
