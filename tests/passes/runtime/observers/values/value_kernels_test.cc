#include "passes/runtime/observers/values/value_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> RandomValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) {
    value = random() % 4 == 0 ? 0.0F : normal(random);
  }
  return values;
}

// In each instruction set of this machine.
class ValueKernelsTest : public testing::TestWithParam<kernels::Isa> {
 protected:
  const kernels::ScopedIsa scoped_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Isas, ValueKernelsTest,
                         testing::ValuesIn(kernels::SupportedIsas()),
                         [](const auto& isa) {
                           return kernels::IsaName(isa.param);
                         });

TEST_P(ValueKernelsTest, RangeIsThatOfTheValues) {
  for (const size_t count : {1, 7, 16, 100, 1000}) {
    const std::vector<float> x = RandomValues(count, count);
    const ValueRange range = RangeOf(x.data(), static_cast<int64_t>(count));
    EXPECT_EQ(range.finite.min, *std::min_element(x.begin(), x.end()));
    EXPECT_EQ(range.finite.max, *std::max_element(x.begin(), x.end()));
    EXPECT_EQ(range.NonFinite(), 0);
  }
}

TEST_P(ValueKernelsTest, NonFiniteValuesAreCountedWhereverTheyAre) {
  for (size_t at = 0; at < 40; ++at) {
    std::vector<float> x(40, 1.5F);
    for (const float value : {kNan, -kNan, kInf, -kInf}) {
      x[at] = value;
      const ValueRange range = RangeOf(x.data(), 40);
      EXPECT_EQ(range.finite, (Interval{1.5F, 1.5F}));
      EXPECT_EQ(range.nans, std::isnan(value) ? 1 : 0);
      EXPECT_EQ(range.positive_infs, value == kInf ? 1 : 0);
      EXPECT_EQ(range.negative_infs, value == -kInf ? 1 : 0);
    }
  }
}

TEST_P(ValueKernelsTest, BinsAreCountedAsOneByOne) {
  constexpr float kInverseWidth = 256;
  for (const size_t count : {1, 3, 16, 17, 1024}) {
    const std::vector<float> x = RandomValues(count, count);
    std::vector<uint32_t> tables(kBinTables * kBinStride);
    const int64_t zeros = ChosenValueKernels().count_bins(
        x.data(), static_cast<int64_t>(count), kInverseWidth, tables.data());
    std::vector<uint32_t> expected(kBinRoom);
    for (const float value : x) {
      ++expected[static_cast<size_t>(std::floor(double{value} * kInverseWidth) +
                                     kBinRoom / 2)];
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      uint32_t counted = 0;
      for (size_t table = 0; table < kBinTables; ++table) {
        counted += tables[table * kBinStride + i];
      }
      EXPECT_EQ(counted, expected[i]) << "bin " << i;
    }
    EXPECT_EQ(zeros, std::count(x.begin(), x.end(), 0.0F));
  }
}

TEST(ValueRangeTest, WithNonFiniteIsWhatAminmaxGives) {
  const auto all = [](std::vector<float> x) {
    return RangeOf(x.data(), static_cast<int64_t>(x.size())).WithNonFinite();
  };
  EXPECT_EQ(all({1, kInf, -2}), (Interval{-2, kInf}));
  EXPECT_EQ(all({1, -kInf, -2}), (Interval{-kInf, 1}));
  EXPECT_EQ(all({kInf}), (Interval{kInf, kInf}));
  EXPECT_EQ(all({-kInf}), (Interval{-kInf, -kInf}));
  EXPECT_TRUE(std::isnan(all({1, kNan, kInf}).min));
  EXPECT_TRUE(std::isnan(all({1, kNan, kInf}).max));
}

TEST(ValueRangeTest, NothingIsAnEmptyRange) {
  EXPECT_TRUE(RangeOf(nullptr, 0).finite.IsEmpty());
  EXPECT_TRUE(RangeOf(&kNan, 1).finite.IsEmpty());
}

TEST(ValueRangeTest, OrderedBitsAreInTheOrderOfFloats) {
  const auto ordered = [](float x) {
    int32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return OrderedBits(bits);
  };
  const float order[] = {-kNan, -kInf,  -1e30F, -1,    -1e-40F, -0.0F,
                         0,     1e-40F, 1,      1e30F, kInf,    kNan};
  for (size_t i = 1; i < std::size(order); ++i) {
    EXPECT_LT(ordered(order[i - 1]), ordered(order[i])) << i;
  }
}

}  // namespace
}  // namespace ns
