// Loops that show the most that one thread of this processor can multiply, add
// and load. The caller times them.
#ifndef TOOLS_BENCH_KERNELS_PEAKS_H_
#define TOOLS_BENCH_KERNELS_PEAKS_H_

#include <cstdint>

namespace ns::bench {

// A loop of one instruction, or of one chain of them, over independent
// accumulators, and nothing else.
struct PeakLoop {
  const char* name;
  // The multiplications plus the additions of one iteration.
  double operations;
  // `iterations` must be 1 or more. Call it only where ns::kernels::IsSupported
  // (passes/kernels/isa.h) is true of the Isa below; that also asks Linux for
  // the permission to use tiles.
  void (*run)(int64_t iterations);
};

extern const PeakLoop kPeakDpbusd512;   // Isa::kAvx512Vnni
extern const PeakLoop kPeakDpbusd256;   // Isa::kAvxVnni
extern const PeakLoop kPeakMaddubs512;  // Isa::kAvx512
extern const PeakLoop kPeakMaddubs256;  // Isa::kAvx2
extern const PeakLoop kPeakTiles;       // Isa::kAmx

// Isa::kAvx512Vnni. It also loads what it multiplies, as a GEMM does, and so
// shows what a GEMM can reach, not the peak. Some processors lower their clock
// for that.
extern const PeakLoop kLoadingDpbusd512;

// Read `bytes` bytes from `data` on, once, with the widest vectors that this
// processor has: any number of bytes, of any alignment, on any processor.
// ReadMemoryAhead also prefetches what comes next.
void ReadMemory(const void* data, int64_t bytes);
void ReadMemoryAhead(const void* data, int64_t bytes);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_PEAKS_H_
