// Range and histogram of floats in one pass, in the instruction set of the
// machine.
#ifndef PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_KERNELS_H_
#define PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_KERNELS_H_

#include <cstdint>

namespace ns {

// The bins that count_bins has room for: the one of zero is in their middle.
constexpr int64_t kBinRoom = 4096;
// How many tables count_bins counts in, in turn: adding to one bin again and
// again would wait for its last count to be written.
constexpr int64_t kBinTables = 4;
// From one table to the next, more than kBinRoom: processors take addresses
// with the same low bits for the same when they order loads after stores.
constexpr int64_t kBinStride = kBinRoom + 64;
// The most values that one call of count_bins takes.
constexpr int64_t kMostBinned = 1024;

// Maps the bits of a float to an integer of the same order; nans are beyond the
// infinity of their sign. It is its own inverse.
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
  // `inverse_width` is a power of two; each of these entries must be one of the
  // kBinRoom. Returns how many of the values are zero; they are in the bins,
  // too.
  int64_t (*count_bins)(const float* x, int64_t count, float inverse_width,
                        uint32_t* tables);
};

const ValueKernels& ScalarValueKernels();
// These must only be called where kernels::IsSupported (passes/kernels/isa.h)
// is true of kAvx2 or kAvx512.
const ValueKernels& Avx2ValueKernels();
const ValueKernels& Avx512ValueKernels();

// Those of kernels::ChosenIsa.
const ValueKernels& ChosenValueKernels();

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_VALUES_VALUE_KERNELS_H_
