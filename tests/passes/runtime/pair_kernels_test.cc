#include "passes/runtime/pair_kernels.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

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

  static void ExpectClose(const PairBlock& actual, const PairBlock& expected) {
    const auto near = [](double value, double reference) {
      EXPECT_NEAR(value, reference, 1e-6 * reference);
    };
    near(actual.x2, expected.x2);
    near(actual.y2, expected.y2);
    near(actual.e2, expected.e2);
    EXPECT_EQ(actual.max_abs_error, expected.max_abs_error);
    EXPECT_EQ(actual.min_x, expected.min_x);
    EXPECT_EQ(actual.max_x, expected.max_x);
    EXPECT_EQ(actual.min_y, expected.min_y);
    EXPECT_EQ(actual.max_y, expected.max_y);
  }

  std::mt19937 random_{7};
  std::vector<float> x_;
  std::vector<float> y_;
  std::vector<uint8_t> codes_;
};

std::vector<int64_t> Sizes() {
  std::vector<int64_t> sizes;
  for (int64_t size = 1; size <= 150; ++size) {
    sizes.push_back(size);
  }
  sizes.insert(sizes.end(), {1000, kPairBlock - 1, kPairBlock});
  return sizes;
}

TEST_P(PairKernelsTest, FloatsAgreeWithTheScalarReferenceForEverySize) {
  for (const int64_t size : Sizes()) {
    SCOPED_TRACE(size);
    Fill(size);
    ExpectClose(GetParam()->floats(x_.data(), y_.data(), size),
                ScalarPairKernels().floats(x_.data(), y_.data(), size));
  }
}

TEST_P(PairKernelsTest, CodesAgreeWithTheScalarReferenceForEverySize) {
  for (const int64_t size : Sizes()) {
    Fill(size);
    for (const bool flip_sign : {false, true}) {
      SCOPED_TRACE(std::to_string(size) + (flip_sign ? " signed" : ""));
      const CodeFormat format = {0.0173F, 131, flip_sign};
      ExpectClose(
          GetParam()->codes(x_.data(), codes_.data(), format, size),
          ScalarPairKernels().codes(x_.data(), codes_.data(), format, size));
    }
  }
}

TEST_P(PairKernelsTest, EqualValuesHaveNoError) {
  Fill(777);
  const CodeFormat format = {0.0371F, 17, false};
  for (size_t i = 0; i < x_.size(); ++i) {
    x_[i] = static_cast<float>(codes_[i] - 17) * 0.0371F;
  }
  const PairBlock block =
      GetParam()->codes(x_.data(), codes_.data(), format, 777);
  EXPECT_EQ(block.e2, 0);
  EXPECT_EQ(block.max_abs_error, 0);
}

TEST_P(PairKernelsTest, NanMakesTheErrorNanWhereverItIs) {
  for (const int64_t at : {0, 5, 63, 64, 100, 102}) {
    Fill(103);
    x_[at] = std::nanf("");
    EXPECT_TRUE(std::isnan(GetParam()->floats(x_.data(), y_.data(), 103).e2))
        << at;
    EXPECT_TRUE(
        std::isnan(GetParam()->codes(x_.data(), codes_.data(), {}, 103).e2))
        << at;
    Fill(103);
    y_[at] = std::nanf("");
    EXPECT_TRUE(std::isnan(GetParam()->floats(x_.data(), y_.data(), 103).e2))
        << at;
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
  EXPECT_EQ(&FastestPairKernels(nullptr), AvailableKernels().back());
  EXPECT_EQ(&FastestPairKernels(""), AvailableKernels().back());
}

TEST(FastestPairKernelsTest, AreNoFasterThanAskedFor) {
  for (const PairKernels* kernels : AvailableKernels()) {
    EXPECT_EQ(&FastestPairKernels(kernels->isa), kernels);
  }
}

INSTANTIATE_TEST_SUITE_P(, PairKernelsTest,
                         testing::ValuesIn(AvailableKernels()),
                         [](const auto& info) {
                           return std::string(info.param->isa);
                         });

}  // namespace
}  // namespace ns
