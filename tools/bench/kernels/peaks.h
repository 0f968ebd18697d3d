// The most that the arithmetic and the loads of this processor can do.
#ifndef TOOLS_BENCH_KERNELS_PEAKS_H_
#define TOOLS_BENCH_KERNELS_PEAKS_H_

#include <cstdint>

namespace ns::bench {

// A loop of one instruction (or one chain) over independent accumulators, and
// nothing else. To be called where IsSupported says so.
struct PeakLoop {
  const char* name;
  // Multiplications and additions of one iteration.
  double operations;
  void (*run)(int64_t iterations);
};

extern const PeakLoop kPeakDpbusd512;   // Isa::kAvx512Vnni
extern const PeakLoop kPeakDpbusd256;   // Isa::kAvxVnni
extern const PeakLoop kPeakMaddubs512;  // Isa::kAvx512
extern const PeakLoop kPeakMaddubs256;  // Isa::kAvx2
extern const PeakLoop kPeakTiles;       // Isa::kAmx

// Isa::kAvx512Vnni: not a peak, but what a GEMM can come to, which loads what
// it multiplies. Some processors lower their clock for that.
extern const PeakLoop kLoadingDpbusd512;

// Loads of `bytes`, of any number and alignment, with the widest vectors there
// are; and the same with software prefetch.
void ReadMemory(const void* data, int64_t bytes);
void ReadMemoryAhead(const void* data, int64_t bytes);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_PEAKS_H_
