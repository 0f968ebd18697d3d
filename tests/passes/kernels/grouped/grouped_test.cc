#include "passes/kernels/grouped/grouped.h"

#include <cstdint>
#include <iterator>
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
  GroupedReference(run.input, run.lane_case.batch, run.lane_case.size,
                   run.lane_case.shape, run.weights, run.plan,
                   run.lane_case.mode, run.out);
}

void RunWith(const LaneRun& run, Parallel parallel) {
  const PackedGrouped packed(run.lane_case.shape, run.weights);
  Grouped(run.input, run.lane_case.batch, run.lane_case.size, packed, run.plan,
          run.lane_case.mode, run.out, parallel);
}

void ExpectSame(const LaneCase& lane_case, std::mt19937& random) {
  ExpectSameOutputs(
      lane_case, [](const LaneRun& run) { RunWith(run, Serial); }, Reference,
      random);
}

constexpr int64_t kGroupChannels[] = {2, 4, 8, 16};

TEST(GroupedTest, EveryGroupCountGivesTheReference) {
  std::mt19937 random(1);
  for (const int64_t channels : kGroupChannels) {
    for (int64_t groups = 1; groups * channels <= 144; ++groups) {
      LaneCase lane_case = SquareCase(groups * channels, groups, 3, 1, 5);
      lane_case.mode = static_cast<SaturationMode>(groups % 3);
      ExpectSame(lane_case, random);
    }
  }
}

TEST(GroupedTest, EveryMapUpTo12GivesTheReference) {
  std::mt19937 random(2);
  for (const int64_t channels : kGroupChannels) {
    for (int64_t height = 1; height <= 12; ++height) {
      LaneCase lane_case =
          SquareCase(80, 80 / channels, 1 + height % 5, 1 + height % 2, height);
      lane_case.shape.padding = {0, 2, 2};
      lane_case.size[2] = 13 - height;
      lane_case.mode = static_cast<SaturationMode>(height / 2 % 3);
      ExpectSame(lane_case, random);
    }
  }
}

TEST(GroupedTest, RandomConvolutionsGiveTheReference) {
  std::mt19937 random(3);
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    const int64_t channels = kGroupChannels[trial % std::size(kGroupChannels)];
    std::uniform_int_distribution<int64_t> groups(1, 144 / channels);
    ExpectSame(RandomCase(groups(random), channels, random), random);
  }
}

TEST(GroupedTest, RowsLongerThanScratchMemoryGiveTheReference) {
  std::mt19937 random(4);
  for (const int64_t channels : kGroupChannels) {
    LaneCase lane_case = SquareCase(64 + 32, 96 / channels, 3, 1, 3);
    lane_case.size[2] = 123;
    ExpectSame(lane_case, random);
    lane_case.shape.stride[2] = 2;
    lane_case.shape.dilation[2] = 3;
    ExpectSame(lane_case, random);
  }
}

TEST(GroupedTest, KernelBiggerThanMapGivesTheReference) {
  std::mt19937 random(5);
  for (const int64_t channels : kGroupChannels) {
    LaneCase lane_case = SquareCase(48, 48 / channels, 7, 1, 2);
    lane_case.activation_zero_point = 255;
    ExpectSame(lane_case, random);
  }
}

TEST(GroupedTest, NoImagesGiveNoOutputs) {
  std::mt19937 random(6);
  LaneCase lane_case = SquareCase(64, 16, 3, 1, 5);
  lane_case.batch = 0;
  ExpectSame(lane_case, random);
}

TEST(GroupedTest, ThreadsGiveTheReference) {
  std::mt19937 random(7);
  for (const int64_t channels : {16, 32, 48, 80, 144}) {
    LaneCase lane_case = SquareCase(channels, channels / 4, 3, 1, 9);
    lane_case.batch = 3;
    ExpectSameOutputs(
        lane_case,
        [](const LaneRun& run) {
          RunWith(run, [](int64_t count, int64_t /*grain*/, Tasks tasks) {
            std::thread other([=] { tasks(count / 3, count); });
            tasks(0, count / 3);
            other.join();
          });
        },
        Reference, random);
  }
}

// One pixel, so that the sums are known: four channels in a group.
int32_t SumOfChannels(const std::vector<uint8_t>& channels,
                      const std::vector<int8_t>& weights, SaturationMode mode) {
  ConvShape shape;
  shape.in_channels = 4;
  shape.out_channels = 4;
  std::vector<int8_t> all_weights(weights);
  all_weights.resize(16);
  const PackedGrouped packed(shape, all_weights.data());
  const float scale = 1;
  OutputSpec spec;
  spec.type = OutputType::kS32;
  spec.weight_scales = absl::MakeConstSpan(&scale, 1);
  const OutputPlan plan = PlanOutput(spec, packed.column_sums(), packed.k());
  int32_t sums[4] = {};
  Grouped(channels.data(), 1, {1, 1, 1}, packed, plan, mode, sums, Serial);
  return sums[0];
}

TEST(GroupedTest, PairsOfChannelsSaturateOnlyWithoutVnni) {
  for (const Isa isa : SupportedIsas()) {
    const ScopedIsa scope(isa);
    const std::vector<uint8_t> channels(4, 255);
    const std::vector<int8_t> weights = {127, 127, -128, -100};
    EXPECT_EQ(SumOfChannels(channels, weights, SaturationMode::kFbgemmAvx2),
              32767 - 32768);
    EXPECT_EQ(SumOfChannels(channels, weights, SaturationMode::kFbgemmVnni),
              255 * (254 - 228));
    EXPECT_EQ(SumOfChannels(channels, weights, SaturationMode::kExact),
              255 * (254 - 228));
  }
}

TEST(GroupedTest, TakesAsManyOutputsAsInputsOfFewInEachGroup) {
  for (const int64_t channels : kGroupChannels) {
    EXPECT_TRUE(
        PackedGrouped::Takes(SquareCase(channels * 3, 3, 3, 1, 8).shape));
  }
  ConvShape shape = SquareCase(128, 32, 3, 1, 8).shape;
  shape.out_channels = 256;
  EXPECT_FALSE(PackedGrouped::Takes(shape));
  shape.out_channels = 128;
  shape.transposed = true;
  EXPECT_FALSE(PackedGrouped::Takes(shape));
  EXPECT_FALSE(PackedGrouped::Takes(SquareCase(32, 32, 3, 1, 8).shape));
  EXPECT_FALSE(PackedGrouped::Takes(SquareCase(96, 3, 3, 1, 8).shape));
  EXPECT_FALSE(PackedGrouped::Takes(SquareCase(12, 2, 3, 1, 8).shape));
}

}  // namespace
}  // namespace ns::kernels
