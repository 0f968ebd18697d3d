// The code of ValueKernels: plain loops, which the compiler vectorizes. One
// source for each instruction set includes this, and is compiled for that set.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_LOOPS_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_LOOPS_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "passes/runtime/observers/values/value_kernels.h"

namespace ns {

// What the functions do is said in ValueKernels. `Isa` is any type that only
// the including source has. Without it, the linker would take the functions of
// all these sources for the same, and keep those of one.
template <typename Isa>
struct ValueLoops {
  // Floats in a line of the cache.
  static constexpr int64_t kLine = 16;
  // How many floats ahead memory is fetched.
  static constexpr int64_t kAhead = 2 * kMostBinned;

  static void Extremes(const float* x, int64_t count, int32_t* least,
                       int32_t* largest) {
    int32_t low = std::numeric_limits<int32_t>::max();
    int32_t high = std::numeric_limits<int32_t>::min();
    for (int64_t i = 0; i < count; ++i) {
      int32_t bits;
      std::memcpy(&bits, x + i, sizeof(bits));
      const int32_t ordered = OrderedBits(bits);
      low = ordered < low ? ordered : low;
      high = ordered > high ? ordered : high;
    }
    *least = low;
    *largest = high;
  }

  static int64_t CountBins(const float* x, int64_t count, float inverse_width,
                           uint32_t* tables) {
    int32_t bins[kMostBinned];
    int32_t zeros = 0;
    for (int64_t i = 0; i < count; ++i) {
      bins[i] = static_cast<int32_t>(std::floor(x[i] * inverse_width)) +
                static_cast<int32_t>(kBinRoom / 2);
      zeros += x[i] == 0.0F ? 1 : 0;
    }
    int64_t i = 0;
    for (; i + kLine <= count; i += kLine) {
      // Counting leaves memory idle: what comes after this block is fetched.
      __builtin_prefetch(x + i + kAhead);
      for (int64_t j = 0; j < kLine; j += kBinTables) {
        for (int64_t table = 0; table < kBinTables; ++table) {
          ++tables[table * kBinStride + bins[i + j + table]];
        }
      }
    }
    for (; i < count; ++i) {
      ++tables[bins[i]];
    }
    return zeros;
  }

  static constexpr ValueKernels Table(const char* isa) {
    return {isa, Extremes, CountBins};
  }
};

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_LOOPS_H_
