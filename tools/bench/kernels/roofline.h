// What the machine could do at best, as contenders of a block.
#ifndef TOOLS_BENCH_KERNELS_ROOFLINE_H_
#define TOOLS_BENCH_KERNELS_ROOFLINE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "passes/kernels/isa.h"
#include "tools/bench/kernels/peaks.h"

namespace ns::bench {

// The fastest arithmetic of `isa`; null for Isa::kScalar.
const PeakLoop* PeakOf(kernels::Isa isa);

// The fastest arithmetic on vectors: what the percentages are of, on
// machines with tiles, too. Null where there are no such vectors.
const PeakLoop* VectorPeakOf(kernels::Isa isa);

// All of LibTorch's threads in `loop` at once, for about as many operations as
// asked for, or 20 microseconds where that is longer.
struct PeakWork {
  std::function<void()> run;
  double operations;  // of all threads
};
PeakWork WorkOf(const PeakLoop& loop, double operations = 0);

// Reads of as many bytes as the weights of a layer, in LibTorch's threads, from
// wherever the caches keep them. Small ones are read several times, so that
// waking threads does not count as reading.
class WeightReader {
 public:
  // Warm ones are where the last call has left them; cold ones are read once.
  WeightReader(int64_t bytes, bool cold);

  std::function<void()> Plain() const { return Work(false); }
  std::function<void()> WithPrefetch() const { return Work(true); }
  // Of all bytes, in one call.
  int64_t passes() const { return passes_; }

 private:
  std::function<void()> Work(bool prefetch) const;

  int64_t bytes_;
  int64_t passes_;
  std::shared_ptr<uint8_t> data_;
};

// A copy of so many bytes by memcpy, each of LibTorch's threads a part.
std::function<void()> CopyOf(int64_t bytes);
// So many bytes set by memset, likewise.
std::function<void()> FillOf(int64_t bytes);

// Bytes that EmptyCaches goes through: twice what getconf calls the level 3
// cache, where that is at most 128 MB; or 32 MB, which is more than caches of
// one processor. Cold weights come from memory there, and here from level 3.
int64_t ColdBytes();

// Reads so many, in each of LibTorch's threads.
void EmptyCaches();

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ROOFLINE_H_
