#include "passes/kernels/elementwise/min_max.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class MinMaxTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, MinMaxTest, testing::ValuesIn(SupportedIsas()),
                         NameOfIsa);

FloatRange RangeOf(const std::vector<float>& values, int64_t offset = 0) {
  const ExactArray<float> in(values, offset);
  return MinMax(in.data(), static_cast<int64_t>(values.size()), Serial);
}

TEST_P(MinMaxTest, FindsExtremesAnywhere) {
  for (int64_t size = 1; size <= 300; size += 7) {
    for (int64_t at = 0; at < size; ++at) {
      std::vector<float> values(size, 1.0f);
      values[at] = 3.0f;
      values[(at + 1) % size] = -2.0f;
      const FloatRange range = RangeOf(values, at % 5);
      ASSERT_EQ(range.min, -2.0f);
      ASSERT_EQ(range.max, size == 1 ? -2.0f : 3.0f);
    }
  }
}

TEST_P(MinMaxTest, OneSidedRangesDoNotReachZero) {
  EXPECT_EQ(RangeOf(std::vector<float>(100, 5.0f)).min, 5.0f);
  EXPECT_EQ(RangeOf(std::vector<float>(100, -5.0f)).max, -5.0f);
}

TEST_P(MinMaxTest, NothingGivesZeros) {
  EXPECT_EQ(RangeOf({}).min, 0.0f);
  EXPECT_EQ(RangeOf({}).max, 0.0f);
  const FloatRange nans = RangeOf(std::vector<float>(100, kNan));
  EXPECT_EQ(nans.min, 0.0f);
  EXPECT_EQ(nans.max, 0.0f);
}

TEST_P(MinMaxTest, NansDoNotCountAndInfinitiesDo) {
  for (int64_t size = 3; size <= 200; ++size) {
    std::vector<float> values(size, kNan);
    values[size / 2] = -4.0f;
    EXPECT_EQ(RangeOf(values).min, -4.0f);
    EXPECT_EQ(RangeOf(values).max, -4.0f);
    values[size - 1] = -kInf;
    EXPECT_EQ(RangeOf(values).min, -kInf);
    EXPECT_EQ(RangeOf(values).max, -4.0f);
  }
}

TEST_P(MinMaxTest, ZerosHaveNoSign) {
  const FloatRange range = RangeOf(std::vector<float>(100, -0.0f));
  EXPECT_FALSE(std::signbit(range.min));
  EXPECT_FALSE(std::signbit(range.max));
}

TEST_P(MinMaxTest, PiecesMayComeInAnyOrder) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(300001);
  for (float& value : values) {
    value = normal(random);
  }
  const FloatRange range =
      MinMax(values.data(), static_cast<int64_t>(values.size()), Backwards);
  EXPECT_EQ(range.min, *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(range.max, *std::max_element(values.begin(), values.end()));
}

}  // namespace
}  // namespace ns::kernels
