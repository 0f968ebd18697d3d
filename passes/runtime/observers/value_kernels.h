// Range and histogram of floats in one pass, in the instruction set of the
// machine.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUE_KERNELS_H_
#define PASSES_RUNTIME_OBSERVERS_VALUE_KERNELS_H_

#include <cstdint>

namespace ns {

// The bins that CountBins has room for: the one of zero is in their middle.
constexpr int64_t kBinRoom = 4096;
// How many tables CountBins counts in, in turn: adding to one bin again and
// again would wait for its last count to be written.
constexpr int64_t kBinTables = 4;
// From one table to the next, more than kBinRoom: processors take addresses
// with the same low bits for the same when they order loads after stores.
constexpr int64_t kBinStride = kBinRoom + 64;
// At most so many values a call of CountBins.
constexpr int64_t kMostBinned = 1024;

// Floats as integers of the same order, nan beyond both infinities. It is its
// own inverse.
inline int32_t OrderedBits(int32_t bits) {
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

struct ValueKernels {
  const char* isa;

  // The least and the largest OrderedBits of `count` > 0 values.
  void (*extremes)(const float* x, int64_t count, int32_t* least,
                   int32_t* largest);

  // For each value, adds 1 to entry floor(x * inverse_width) + kBinRoom / 2 of
  // one of kBinTables tables, which are kBinStride apart from `tables` on.
  // `inverse_width` is a power of two, and all entries exist. Returns how many
  // values are zero.
  int64_t (*count_bins)(const float* x, int64_t count, float inverse_width,
                        uint32_t* tables);
};

const ValueKernels& ScalarValueKernels();
// These must only be called where IsSupported says so.
const ValueKernels& Avx2ValueKernels();
const ValueKernels& Avx512ValueKernels();

// Those of kernels::ChosenIsa.
const ValueKernels& ChosenValueKernels();

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUE_KERNELS_H_
