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

// The fastest arithmetic on vectors, on machines with tiles, too: Row::of_peak
// is a part of it. Null for Isa::kScalar.
const PeakLoop* VectorPeakOf(kernels::Isa isa);

struct PeakWork {
  std::function<void()> run;
  double operations;  // of one call, all threads together
};
// Runs `loop` in all of LibTorch's threads at once, for about `operations` in
// all, but for 20 microseconds or more.
PeakWork WorkOf(const PeakLoop& loop, double operations = 0);

// Reads as many bytes as the weights of a layer have, shared among LibTorch's
// threads, from wherever the caches keep them.
class WeightReader {
 public:
  // `bytes` is above 0. If `cold`, a call reads them once: the caller empties
  // the caches. Otherwise they are where the last call has left them, and a
  // call reads some 4 MB, small ones several times, so that waking threads does
  // not count as reading.
  WeightReader(int64_t bytes, bool cold);

  std::function<void()> Plain() const { return Work(false); }
  std::function<void()> WithPrefetch() const { return Work(true); }
  // How often a call reads all bytes.
  int64_t passes() const { return passes_; }

 private:
  std::function<void()> Work(bool prefetch) const;

  int64_t bytes_;
  int64_t passes_;
  std::shared_ptr<uint8_t> data_;
};

// Copies so many bytes by memcpy, each of LibTorch's threads a part.
std::function<void()> CopyOf(int64_t bytes);
// Sets so many bytes by memset, likewise.
std::function<void()> FillOf(int64_t bytes);

// The bytes that EmptyCaches reads: twice the level 3 cache that getconf
// reports, at least 32 MB, so that cold weights come from memory. Where that is
// more than 128 MB it is 32 MB, more than the caches of one core, and cold
// weights come from level 3.
int64_t ColdBytes();

// Reads ColdBytes() bytes, all of them in each of LibTorch's threads.
void EmptyCaches();

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_ROOFLINE_H_
