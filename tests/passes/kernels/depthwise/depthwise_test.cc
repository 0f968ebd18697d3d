#include "passes/kernels/depthwise/depthwise.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "tests/passes/kernels/depthwise/lane_cases.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

void Reference(const LaneRun& run) {
  DepthwiseReference(run.input, run.lane_case.batch, run.lane_case.size,
                     run.lane_case.shape, run.weights, run.plan,
                     run.lane_case.mode, run.out);
}

void RunWith(const LaneRun& run, Parallel parallel) {
  const PackedDepthwise packed(run.lane_case.shape, run.weights);
  Depthwise(run.input, run.lane_case.batch, run.lane_case.size, packed,
            run.plan, run.lane_case.mode, run.out, parallel);
}

void RunSerially(const LaneRun& run) { RunWith(run, Serial); }

// Gives each thread one task at a time, in reverse.
void RunInThreads(const LaneRun& run) {
  RunWith(run, [](int64_t count, int64_t /*grain*/, Tasks tasks) {
    std::vector<std::thread> threads;
    for (int64_t t = 0; t < 3; ++t) {
      threads.emplace_back([=] {
        for (int64_t i = count - 1 - t; i >= 0; i -= 3) {
          tasks(i, i + 1);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  });
}

void ExpectSame(const LaneCase& lane_case, std::mt19937& random) {
  ExpectSameOutputs(lane_case, RunSerially, Reference, random);
}

LaneCase DepthwiseCase(int64_t channels, int64_t kernel, int64_t stride,
                       int64_t size) {
  return SquareCase(channels, channels, kernel, stride, size);
}

TEST(DepthwiseTest, EveryChannelCountGivesTheReference) {
  std::mt19937 random(1);
  for (int64_t channels = 1; channels <= 150; ++channels) {
    LaneCase lane_case = DepthwiseCase(channels, 3, 1, 6);
    lane_case.mode = static_cast<SaturationMode>(channels % 3);
    ExpectSame(lane_case, random);
  }
}

TEST(DepthwiseTest, EveryMapUpTo20GivesTheReference) {
  std::mt19937 random(2);
  for (const int64_t channels : {8, 16, 32, 48, 64, 80}) {
    for (int64_t height = 1; height <= 20; ++height) {
      LaneCase lane_case =
          DepthwiseCase(channels, 3 + height % 3 * 2, 1 + height % 2, height);
      lane_case.size[2] = 21 - height;
      lane_case.mode = static_cast<SaturationMode>(height / 2 % 2);
      ExpectSame(lane_case, random);
    }
  }
}

TEST(DepthwiseTest, StridesThatDifferGiveTheReference) {
  std::mt19937 random(10);
  for (const int64_t channels : {8, 24, 64}) {
    for (int64_t width = 1; width <= 9; ++width) {
      for (int64_t padding = 0; padding <= 4; ++padding) {
        LaneCase lane_case = DepthwiseCase(channels, 3, 1, 8);
        lane_case.size[2] = std::max<int64_t>(width, 3 - 2 * padding);
        lane_case.shape.padding[2] = padding;
        lane_case.shape.stride = {1, 1 + width % 2, 2 - width % 2};
        lane_case.mode = static_cast<SaturationMode>(padding % 2);
        ExpectSame(lane_case, random);
        lane_case.shape.stride = {1, 2, 2};
        ExpectSame(lane_case, random);
      }
    }
  }
}

TEST(DepthwiseTest, RandomConvolutionsGiveTheReference) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> channels(1, 200);
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    ExpectSame(RandomCase(channels(random), 1, random), random);
  }
}

TEST(DepthwiseTest, RowsLongerThanScratchMemoryGiveTheReference) {
  std::mt19937 random(4);
  for (const int64_t kernel : {3, 7}) {
    for (const SaturationMode mode :
         {SaturationMode::kExact, SaturationMode::kFbgemmVnni}) {
      LaneCase lane_case = DepthwiseCase(64 + 16, kernel, 1, 3);
      lane_case.size[2] = 301;
      lane_case.mode = mode;
      ExpectSame(lane_case, random);
      lane_case.shape.stride[2] = 2;
      lane_case.shape.dilation[2] = 3;
      ExpectSame(lane_case, random);
    }
  }
}

TEST(DepthwiseTest, KernelBiggerThanMapGivesTheReference) {
  std::mt19937 random(5);
  LaneCase lane_case = DepthwiseCase(72, 7, 1, 2);
  lane_case.activation_zero_point = 255;
  ExpectSame(lane_case, random);
  lane_case.shape.kernel = {1, 41, 41};
  lane_case.shape.padding = {0, 20, 20};
  ExpectSame(lane_case, random);
}

TEST(DepthwiseTest, NothingButPaddingGivesTheReference) {
  std::mt19937 random(6);
  LaneCase lane_case = DepthwiseCase(72, 3, 1, 1);
  lane_case.shape.padding = {0, 4, 4};
  lane_case.size = {1, 0, 1};
  ExpectSame(lane_case, random);
  lane_case.size = {1, 1, 0};
  ExpectSame(lane_case, random);
}

TEST(DepthwiseTest, NoImagesGiveNoOutputs) {
  std::mt19937 random(7);
  LaneCase lane_case = DepthwiseCase(72, 3, 1, 5);
  lane_case.batch = 0;
  ExpectSame(lane_case, random);
}

TEST(DepthwiseTest, ThreadsGiveTheReference) {
  std::mt19937 random(8);
  for (const int64_t channels : {8, 16, 24, 40, 72, 144}) {
    for (const int64_t stride : {1, 2}) {
      LaneCase lane_case = DepthwiseCase(channels, 3, stride, 9);
      lane_case.batch = 3;
      ExpectSameOutputs(lane_case, RunInThreads, Reference, random);
    }
  }
}

TEST(DepthwiseTest, TasksAreOfferedOnceAndCoverAllOutputs) {
  const LaneCase lane_case = DepthwiseCase(144, 3, 1, 9);
  std::mt19937 random(9);
  int64_t offered = 0;
  ExpectSameOutputs(
      lane_case,
      [&](const LaneRun& run) {
        RunWith(run, [&](int64_t count, int64_t grain, Tasks tasks) {
          EXPECT_GE(grain, 1);
          offered += ChosenIsa() == Isa::kScalar ? 0 : 1;
          for (int64_t i = 0; i < count; ++i) {
            tasks(i, i + 1);
          }
        });
      },
      Reference, random);
  EXPECT_EQ(offered, static_cast<int64_t>(SupportedIsas().size()) - 1);
}

// One pixel, so that the sums are known.
int32_t SumOfTaps(const std::vector<uint8_t>& taps,
                  const std::vector<int8_t>& weights, SaturationMode mode,
                  Isa isa) {
  ConvShape shape;
  shape.kernel = {1, 3, 3};
  const PackedDepthwise packed(shape, weights.data());
  const float scale = 1;
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.weight_scales = absl::MakeConstSpan(&scale, 1);
  const OutputPlan plan = PlanOutput(spec, packed.column_sums(), packed.k());
  int32_t sum = 0;
  const ScopedIsa scope(isa);
  Depthwise(taps.data(), 1, {1, 3, 3}, packed, plan, mode, &sum, Serial);
  return sum;
}

TEST(DepthwiseTest, PairsOfTapsSaturateInOrderAndTheLastTapIsAlone) {
  const std::vector<uint8_t> taps(9, 255);
  const std::vector<int8_t> weights = {127,  127, -128, -128, 127,
                                       -128, 1,   2,    127};
  for (const Isa isa : SupportedIsas()) {
    EXPECT_EQ(SumOfTaps(taps, weights, SaturationMode::kExact, isa),
              255 * 0 + 255 * (127 * 4 - 128 * 3 + 3));
    for (const SaturationMode mode :
         {SaturationMode::kFbgemmVnni, SaturationMode::kFbgemmAvx2}) {
      EXPECT_EQ(SumOfTaps(taps, weights, mode, isa),
                32767 - 32768 - 255 + 255 * 3 + 255 * 127)
          << IsaName(isa);
    }
  }
}

TEST(DepthwiseTest, ActivationsUpToTheLargestSafeOneDoNotSaturate) {
  // 129 * 254 = 32766 and 130 * 254 > 32767; 128 * 256 = 32768.
  for (const Isa isa : SupportedIsas()) {
    EXPECT_EQ(
        SumOfTaps(std::vector<uint8_t>(9, 129), {127, 127, 0, 0, 0, 0, 0, 0, 0},
                  SaturationMode::kFbgemmVnni, isa),
        129 * 254);
    EXPECT_EQ(
        SumOfTaps(std::vector<uint8_t>(9, 130), {127, 127, 0, 0, 0, 0, 0, 0, 0},
                  SaturationMode::kFbgemmVnni, isa),
        32767);
    EXPECT_EQ(SumOfTaps(std::vector<uint8_t>(9, 128),
                        {0, 0, -128, -128, 0, 0, 0, 0, 0},
                        SaturationMode::kFbgemmVnni, isa),
              -32768);
    EXPECT_EQ(SumOfTaps(std::vector<uint8_t>(9, 129),
                        {0, 0, -128, -128, 0, 0, 0, 0, 0},
                        SaturationMode::kFbgemmVnni, isa),
              -32768);
  }
}

TEST(DepthwiseTest, TakesOneInputAndOneOutputForEachGroup) {
  ConvShape shape = SquareCase(32, 32, 3, 1, 8).shape;
  EXPECT_TRUE(PackedDepthwise::Takes(shape));
  shape.out_channels = 64;
  EXPECT_FALSE(PackedDepthwise::Takes(shape));
  shape.out_channels = 32;
  shape.transposed = true;
  EXPECT_FALSE(PackedDepthwise::Takes(shape));
  EXPECT_FALSE(PackedDepthwise::Takes(SquareCase(32, 16, 3, 1, 8).shape));
}

}  // namespace
}  // namespace ns::kernels
