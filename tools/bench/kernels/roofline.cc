#include "tools/bench/kernels/roofline.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "passes/runtime/fbgemm_ops/torch_parallel.h"
#include "tools/bench/kernels/aligned_bytes.h"

namespace ns::bench {
namespace {

// Threads read multiples of this.
constexpr int64_t kLineBlock = 512;

}  // namespace

const PeakLoop* VectorPeakOf(kernels::Isa isa) {
  switch (isa) {
    case kernels::Isa::kScalar:
      return nullptr;
    case kernels::Isa::kAvx2:
      return &kPeakMaddubs256;
    case kernels::Isa::kAvxVnni:
      return &kPeakDpbusd256;
    case kernels::Isa::kAvx512:
      return &kPeakMaddubs512;
    case kernels::Isa::kAvx512Vnni:
    case kernels::Isa::kAmx:
      return &kPeakDpbusd512;
  }
  return nullptr;
}

const PeakLoop* PeakOf(kernels::Isa isa) {
  return isa == kernels::Isa::kAmx ? &kPeakTiles : VectorPeakOf(isa);
}

PeakWork WorkOf(const PeakLoop& loop, double operations) {
  // 20 microseconds of 1 or 8 TOPS; slower ones take longer.
  const double least = &loop == &kPeakTiles ? 160e6 : 20e6;
  const int64_t threads = at::get_num_threads();
  const double each =
      std::max(least, operations / static_cast<double>(threads));
  const int64_t iterations = static_cast<int64_t>(each / loop.operations);
  return {[=, run = loop.run] {
            TorchParallel(threads, 1, [&](int64_t begin, int64_t end) {
              run(iterations * (end - begin));
            });
          },
          loop.operations * static_cast<double>(iterations * threads)};
}

WeightReader::WeightReader(int64_t bytes, bool cold)
    : bytes_((bytes + kLineBlock - 1) / kLineBlock * kLineBlock),
      passes_(cold ? 1 : 1 + (int64_t{4} << 20) / bytes_),
      data_(AlignedBytes(bytes_, 1)) {}

std::function<void()> WeightReader::Work(bool prefetch) const {
  return [=, data = data_, bytes = bytes_, passes = passes_] {
    TorchParallel(bytes / kLineBlock, 1, [&](int64_t begin, int64_t end) {
      for (int64_t pass = 0; pass < passes; ++pass) {
        (prefetch ? ReadMemoryAhead : ReadMemory)(
            data.get() + begin * kLineBlock, (end - begin) * kLineBlock);
      }
    });
  };
}

std::function<void()> CopyOf(int64_t bytes) {
  return [bytes, from = AlignedBytes(bytes, 1), to = AlignedBytes(bytes, 1)] {
    TorchParallel(bytes, 1, [&](int64_t begin, int64_t end) {
      std::memcpy(to.get() + begin, from.get() + begin, end - begin);
    });
  };
}

std::function<void()> FillOf(int64_t bytes) {
  return [bytes, to = AlignedBytes(bytes, 1)] {
    TorchParallel(bytes, 1, [&](int64_t begin, int64_t end) {
      std::memset(to.get() + begin, 1, end - begin);
    });
  };
}

int64_t ColdBytes() {
  constexpr int64_t kSome = int64_t{32} << 20;
  constexpr int64_t kMost = int64_t{128} << 20;
  const int64_t twice = 2 * sysconf(_SC_LEVEL3_CACHE_SIZE);
  return twice > kMost ? kSome : std::max(kSome, twice);
}

void EmptyCaches() {
  static const int64_t kBytes = ColdBytes();
  static const std::shared_ptr<uint8_t> kData = AlignedBytes(kBytes, 1);
  // Each thread all of it: every core has caches of its own.
  TorchParallel(at::get_num_threads(), 1, [](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      ReadMemory(kData.get(), kBytes);
    }
  });
}

}  // namespace ns::bench
