// The numbers of dimensions that an op takes.
#ifndef PASSES_OPS_RANK_RANGE_H_
#define PASSES_OPS_RANK_RANGE_H_

#include <cstdint>
#include <limits>

namespace ns {

// From `least` to `most` dimensions, both included; all by default.
struct RankRange {
  static constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

  int64_t least = 0;
  int64_t most = kAny;

  constexpr bool IsAll() const { return least == 0 && most == kAny; }
};

}  // namespace ns

#endif  // PASSES_OPS_RANK_RANGE_H_
