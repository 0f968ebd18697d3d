#include "tools/bench/kernels/roofline.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "passes/kernels/isa.h"
#include "tools/bench/kernels/peaks.h"

namespace ns::bench {
namespace {

using kernels::Isa;

double SecondsOf(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST(RooflineTest, TilesAreThePeakAndNotTheVectorPeak) {
  EXPECT_EQ(PeakOf(Isa::kAmx), &kPeakTiles);
  EXPECT_EQ(VectorPeakOf(Isa::kAmx), &kPeakDpbusd512);
  EXPECT_EQ(PeakOf(Isa::kAvx2), VectorPeakOf(Isa::kAvx2));
  EXPECT_EQ(PeakOf(Isa::kScalar), nullptr);
}

// A processor does more than that even in a debugger, and none does as much:
// the loops are neither optimised away nor counted wrong.
TEST(RooflineTest, PeaksOfSupportedInstructionSetsAreBelievable) {
  at::set_num_threads(1);
  for (const Isa isa : kernels::SupportedIsas()) {
    if (const PeakLoop* loop = PeakOf(isa)) {
      const PeakWork work = WorkOf(*loop);
      double seconds = 1;
      for (int i = 0; i < 100; ++i) {
        seconds = std::min(seconds, SecondsOf(work.run));
      }
      const double gops = work.operations / seconds * 1e-9;
      EXPECT_GT(gops, 10) << loop->name;
      EXPECT_LT(gops, 32768) << loop->name;
    }
  }
}

TEST(RooflineTest, PeakDoesAsMuchWorkAsAskedForAndSome) {
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    EXPECT_NEAR(WorkOf(kPeakDpbusd512, 1e9).operations, 1e9, 1e6) << threads;
    EXPECT_NEAR(WorkOf(kPeakDpbusd512).operations, 20e6 * threads, 1e5);
  }
  at::set_num_threads(1);
}

TEST(RooflineTest, ReadsNothingOutsideTheBytes) {
  // Of a size that the address sanitizer knows.
  for (int64_t bytes = 0; bytes < 2000; bytes += 37) {
    const std::vector<char> data(bytes, 1);
    ReadMemory(data.data(), bytes);
    ReadMemoryAhead(data.data(), bytes);
    EXPECT_EQ(data, std::vector<char>(bytes, 1));
  }
}

TEST(RooflineTest, ColdWeightsAreReadOnceAndSmallWarmOnesOften) {
  EXPECT_EQ(WeightReader(1 << 16, true).passes(), 1);
  EXPECT_GT(WeightReader(1 << 16, false).passes(), 32);
  EXPECT_EQ(WeightReader(1 << 24, false).passes(), 1);
}

TEST(RooflineTest, ColdBytesAreMoreThanCachesOfOneProcessor) {
  EXPECT_GE(ColdBytes(), 32 << 20);
  EXPECT_LE(ColdBytes(), 128 << 20);
}

}  // namespace
}  // namespace ns::bench
