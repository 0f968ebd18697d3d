#include "passes/kernels/elementwise/scale_channels.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class ScaleChannelsTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, ScaleChannelsTest,
                         testing::ValuesIn(SupportedIsas()), NameOfIsa);

struct Scaling {
  std::vector<float> factors;
  std::vector<float> offsets;
  int32_t zero_point = 0;
  int32_t out_zero_point = 0;
  bool relu = false;
};

std::vector<uint8_t> Scaled(const std::vector<uint8_t>& codes,
                            const Scaling& scaling, int64_t offset = 0,
                            Parallel parallel = Serial) {
  const auto channels = static_cast<int64_t>(scaling.factors.size());
  const auto count = static_cast<int64_t>(codes.size());
  const ExactArray<uint8_t> in(codes, offset);
  ExactArray<uint8_t> out(count, offset / 3);
  ScaleChannels(in.data(), channels == 0 ? 0 : count / channels,
                {scaling.zero_point, scaling.factors, scaling.offsets,
                 scaling.out_zero_point, scaling.relu},
                out.data(), parallel);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

Scaling RandomScaling(int64_t channels, std::mt19937& random) {
  std::normal_distribution<float> normal;
  Scaling scaling;
  for (int64_t i = 0; i < channels; ++i) {
    scaling.factors.push_back(normal(random));
    scaling.offsets.push_back(50 * normal(random));
  }
  scaling.zero_point = static_cast<int32_t>(random() % 256);
  scaling.out_zero_point = static_cast<int32_t>(random() % 256);
  scaling.relu = random() % 2 == 0;
  return scaling;
}

TEST_P(ScaleChannelsTest, FollowsFormulaForEveryCode) {
  for (const bool relu : {false, true}) {
    const Scaling scaling = {{0.5f, -1.25f, 3.0f, 0.0f},
                             {0.25f, 100.0f, -40.0f, 7.0f},
                             90,
                             30,
                             relu};
    std::vector<uint8_t> codes;
    for (int code = 0; code < 256; ++code) {
      codes.insert(codes.end(), 4, static_cast<uint8_t>(code));
    }
    const std::vector<uint8_t> scaled = Scaled(codes, scaling);
    for (size_t i = 0; i < codes.size(); ++i) {
      // Exact in double: the numbers have few bits.
      const double steps = double{scaling.factors[i % 4]} * (codes[i] - 90) +
                           scaling.offsets[i % 4];
      ASSERT_EQ(scaled[i], std::clamp(std::nearbyint(steps) + 30,
                                      relu ? 30.0 : 0.0, 255.0))
          << i;
    }
  }
}

TEST_P(ScaleChannelsTest, TiesGoToEvenBeforeZeroPointIsAdded) {
  const auto scaled = [](uint8_t code, int32_t zero_point) {
    return Scaled({code}, {{0.5f}, {0.0f}, 0, zero_point, false})[0];
  };
  EXPECT_EQ(scaled(1, 7), 7);
  EXPECT_EQ(scaled(3, 7), 9);
  EXPECT_EQ(scaled(5, 7), 9);
}

TEST_P(ScaleChannelsTest, EqualsReferenceOfAnyShapeAndAlignment) {
  std::mt19937 random(1);
  for (int64_t channels = 0; channels <= 700;
       channels += channels < 70 ? 1 : 37) {
    for (const int64_t rows : {0, 1, 3, 40}) {
      const Scaling scaling = RandomScaling(channels, random);
      const std::vector<uint8_t> codes =
          RandomCodes<uint8_t>(rows * channels, random);
      ASSERT_EQ(Scaled(codes, scaling, static_cast<int64_t>(random() % 70)),
                InScalar([&] { return Scaled(codes, scaling); }))
          << rows << " rows of " << channels;
    }
  }
}

TEST_P(ScaleChannelsTest, EqualsReferenceWhereSumsOverflow) {
  std::mt19937 random(2);
  const std::vector<float> numbers = SpecialFloats();
  for (int i = 0; i < 1000; ++i) {
    Scaling scaling = RandomScaling(9, random);
    for (float& factor : scaling.factors) {
      factor = numbers[random() % numbers.size()];
    }
    for (float& offset : scaling.offsets) {
      offset = numbers[random() % numbers.size()];
    }
    const std::vector<uint8_t> codes = RandomCodes<uint8_t>(90, random);
    ASSERT_EQ(Scaled(codes, scaling),
              InScalar([&] { return Scaled(codes, scaling); }));
  }
}

TEST_P(ScaleChannelsTest, WorksInPlaceAndInAnyOrder) {
  std::mt19937 random(3);
  const Scaling scaling = RandomScaling(130, random);
  std::vector<uint8_t> codes = RandomCodes<uint8_t>(130 * 2000, random);
  const std::vector<uint8_t> expected = Scaled(codes, scaling);
  EXPECT_EQ(Scaled(codes, scaling, 0, Backwards), expected);
  ScaleChannels(codes.data(), 2000,
                {scaling.zero_point, scaling.factors, scaling.offsets,
                 scaling.out_zero_point, scaling.relu},
                codes.data(), Serial);
  EXPECT_EQ(codes, expected);
}

}  // namespace
}  // namespace ns::kernels
