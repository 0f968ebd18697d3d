#include "passes/runtime/statistics/pair_kernels.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "passes/runtime/statistics/codes_in_use.h"

namespace ns {
namespace {

class PairKernelsTest : public testing::TestWithParam<const PairKernels*> {
 protected:
  // Two arrays that differ by about a tenth, and codes of any value.
  void Fill(int64_t count) {
    std::normal_distribution<float> normal;
    std::uniform_int_distribution<int> code(0, 255);
    x_.clear();
    y_.clear();
    codes_.clear();
    for (int64_t i = 0; i < count; ++i) {
      x_.push_back(normal(random_));
      y_.push_back(x_.back() + 0.1F * normal(random_));
      codes_.push_back(static_cast<uint8_t>(code(random_)));
    }
  }

  std::mt19937 random_{7};
  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<uint8_t> codes_;
};

void ExpectNear(double value, double reference) {
  EXPECT_NEAR(value, reference, 1e-6 * reference);
}

void ExpectSameErrors(const PairErrors& actual, const PairErrors& expected) {
  ExpectNear(actual.x2, expected.x2);
  ExpectNear(actual.e2, expected.e2);
}

void ExpectSame(const PairBlock& actual, const PairBlock& expected) {
  ExpectSameErrors(actual, expected);
  // Terms cancel; none is larger than the largest.
  EXPECT_NEAR(actual.e, expected.e, 1e-6 * kPairPiece * expected.max_abs_error)
      << "sum of errors";
  EXPECT_EQ(actual.max_abs_error, expected.max_abs_error);
  EXPECT_EQ(actual.min_x, expected.min_x);
  EXPECT_EQ(actual.max_x, expected.max_x);
  ExpectNear(actual.y2, expected.y2);
  EXPECT_EQ(actual.min_y, expected.min_y);
  EXPECT_EQ(actual.max_y, expected.max_y);
}

std::vector<int64_t> Sizes() {
  std::vector<int64_t> sizes;
  for (int64_t size = 1; size <= 150; ++size) {
    sizes.push_back(size);
  }
  sizes.insert(sizes.end(),
               {1000, kPairBlock - 1, kPairBlock, kPairBlock + 1, kPairPiece});
  return sizes;
}

// With and without a sign, and with a scale of one float and of two.
const CodeFormat kFormats[] = {{0.0173F, 131, false},
                               {0.0173F, 131, true},
                               {0.0371F, 0, false, 1.1e-9F},
                               {0.0371F, 255, true, -1.1e-9F}};

TEST_P(PairKernelsTest, FloatsAgreeWithTheScalarReferenceForEverySize) {
  const PairKernels& scalar = ScalarPairKernels();
  for (const int64_t size : Sizes()) {
    SCOPED_TRACE(size);
    Fill(size);
    ExpectSame(GetParam()->floats(x_.data(), y_.data(), size),
               scalar.floats(x_.data(), y_.data(), size));
    ExpectSameErrors(GetParam()->float_errors(x_.data(), y_.data(), size),
                     scalar.float_errors(x_.data(), y_.data(), size));
  }
}

TEST_P(PairKernelsTest, CodesAgreeWithTheScalarReferenceForEverySize) {
  const PairKernels& scalar = ScalarPairKernels();
  for (const int64_t size : Sizes()) {
    Fill(size);
    for (const CodeFormat& format : kFormats) {
      SCOPED_TRACE(std::to_string(size) + (format.flip_sign ? " signed" : ""));
      const float* x = x_.data();
      const uint8_t* y = codes_.data();
      const PairBlock expected = scalar.codes(x, y, format, size);
      ExpectSame(GetParam()->codes(x, y, format, size), expected);
      ExpectSameErrors(GetParam()->code_errors(x, y, format, size), expected);
      CodesInUse use;
      ExpectSame(GetParam()->codes_and_use(x, y, format, size, use), expected);
      CodesInUse expected_use;
      expected_use.Add(y, size, format.flip_sign);
      EXPECT_EQ(use, expected_use);
    }
  }
}

TEST_P(PairKernelsTest, DequantizesAsTheScalarReference) {
  for (const int64_t size : {1, 3, 8, 15, 16, 17, 31, 100, 256}) {
    Fill(size);
    std::vector<float> values(size + 1, 7);
    std::vector<float> expected = values;
    const uint8_t* codes = codes_.data();
    for (const CodeFormat& format : kFormats) {
      GetParam()->dequantize(codes, format, size, values.data());
      ScalarPairKernels().dequantize(codes, format, size, expected.data());
      EXPECT_EQ(values, expected);
    }
    std::vector<double> scales;
    std::vector<int32_t> zero_points;
    for (int64_t i = 0; i < size; ++i) {
      scales.push_back(0.01 * static_cast<double>(i + 1));
      zero_points.push_back(static_cast<int32_t>(i % 256));
    }
    for (const bool flip_sign : {false, true}) {
      GetParam()->dequantize_each(codes, flip_sign, scales.data(),
                                  zero_points.data(), size, values.data());
      ScalarPairKernels().dequantize_each(codes, flip_sign, scales.data(),
                                          zero_points.data(), size,
                                          expected.data());
      EXPECT_EQ(values, expected);
    }
    EXPECT_EQ(values.back(), 7);
  }
}

TEST_P(PairKernelsTest, ColumnsAgreeWithTheScalarReference) {
  for (const int64_t columns : {1, 3, 8, 15, 16, 17, 64, 1001}) {
    for (const int64_t rows : {1, 2, 7, 16, 40}) {
      SCOPED_TRACE(columns);
      Fill(rows * columns);
      // Squares are added to what is there.
      std::vector<double> sums[4];
      for (std::vector<double>& sum : sums) {
        sum.assign(columns + 1, 1);
      }
      GetParam()->columns(x_.data(), y_.data(), rows, columns, sums[0].data(),
                          sums[1].data());
      ScalarPairKernels().columns(x_.data(), y_.data(), rows, columns,
                                  sums[2].data(), sums[3].data());
      for (int64_t i = 0; i <= columns; ++i) {
        ExpectNear(sums[0][i], sums[2][i]);
        ExpectNear(sums[1][i], sums[3][i]);
      }
    }
  }
}

// Values of which the square is no float, beside others and beside zeros.
TEST_P(PairKernelsTest, ColumnsOfTinyAndOfHugeValuesAreSummed) {
  for (const float tiny_or_huge : {1e-30F, 1e-44F, 1e30F, 3e38F}) {
    std::vector<float> x(64, 1);
    std::vector<float> y(64, 0.5);
    x[5] = x[32 + 5] = tiny_or_huge;
    y[5] = y[32 + 5] = -tiny_or_huge;
    x[7] = x[32 + 7] = y[7] = y[32 + 7] = 0;
    std::vector<double> x2(32);
    std::vector<double> e2(32);
    GetParam()->columns(x.data(), y.data(), 2, 32, x2.data(), e2.data());
    const double square = static_cast<double>(tiny_or_huge) * tiny_or_huge;
    ExpectNear(x2[5], 2 * square);
    ExpectNear(e2[5], 8 * square);
    EXPECT_EQ(x2[6], 2);
    EXPECT_EQ(e2[6], 0.5);
    EXPECT_EQ(x2[7], 0);
    EXPECT_EQ(e2[7], 0);
  }
}

TEST_P(PairKernelsTest, EqualValuesHaveNoError) {
  Fill(777);
  for (const CodeFormat& format : kFormats) {
    GetParam()->dequantize(codes_.data(), format, 777, x_.data());
    const PairBlock block =
        GetParam()->codes(x_.data(), codes_.data(), format, 777);
    EXPECT_EQ(block.e2, 0);
    EXPECT_EQ(block.max_abs_error, 0);
    EXPECT_EQ(GetParam()->code_errors(x_.data(), codes_.data(), format, 777).e2,
              0);
  }
}

TEST_P(PairKernelsTest, NanMakesTheErrorNanWhereverItIs) {
  const auto expect_nan = [](const PairErrors& errors) {
    EXPECT_TRUE(std::isnan(errors.e2));
  };
  for (const int64_t at : {0, 5, 63, 64, 100, 102}) {
    SCOPED_TRACE(at);
    Fill(103);
    x_[at] = std::nanf("");
    CodesInUse use;
    expect_nan(GetParam()->floats(x_.data(), y_.data(), 103));
    expect_nan(GetParam()->float_errors(x_.data(), y_.data(), 103));
    expect_nan(GetParam()->codes(x_.data(), codes_.data(), {}, 103));
    expect_nan(GetParam()->code_errors(x_.data(), codes_.data(), {}, 103));
    expect_nan(
        GetParam()->codes_and_use(x_.data(), codes_.data(), {}, 103, use));
    Fill(103);
    y_[at] = std::nanf("");
    expect_nan(GetParam()->floats(x_.data(), y_.data(), 103));
    expect_nan(GetParam()->float_errors(x_.data(), y_.data(), 103));
  }
}

std::vector<const PairKernels*> AvailableKernels() {
  std::vector<const PairKernels*> kernels = {&ScalarPairKernels()};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(&Avx2PairKernels());
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    kernels.push_back(&Avx512PairKernels());
  }
  return kernels;
}

TEST(FastestPairKernelsTest, AreTheLastThatTheProcessorHas) {
  EXPECT_EQ(&FastestPairKernels(kernels::Isa::kAmx), AvailableKernels().back());
}

TEST(AvailablePairKernelsTest, AreThoseThatTheProcessorRuns) {
  EXPECT_EQ(AvailablePairKernels(), AvailableKernels());
}

TEST(FastestPairKernelsTest, AreNoFasterThanAskedFor) {
  for (const PairKernels* kernels : AvailableKernels()) {
    EXPECT_EQ(&FastestPairKernels(*kernels::FindIsa(kernels->isa)), kernels);
  }
}

TEST(ScopedPairKernelsTest, ChoosesWhileItLives) {
  const PairKernels& before = ChosenPairKernels();
  {
    const ScopedPairKernels scoped(ScalarPairKernels());
    EXPECT_EQ(&ChosenPairKernels(), &ScalarPairKernels());
  }
  EXPECT_EQ(&ChosenPairKernels(), &before);
}

INSTANTIATE_TEST_SUITE_P(, PairKernelsTest,
                         testing::ValuesIn(AvailableKernels()),
                         [](const auto& info) {
                           return std::string(info.param->isa);
                         });

}  // namespace
}  // namespace ns
