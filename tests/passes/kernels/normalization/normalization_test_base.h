// What tests of normalizations share.
#ifndef TESTS_PASSES_KERNELS_NORMALIZATION_NORMALIZATION_TEST_BASE_H_
#define TESTS_PASSES_KERNELS_NORMALIZATION_NORMALIZATION_TEST_BASE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/normalization/normalization_spec.h"
#include "tests/passes/kernels/in_pieces.h"

namespace ns::kernels {

// Runs each test in the instruction set of its parameter. The members below
// draw random numbers, the same in each run.
class NormalizationTest : public ::testing::TestWithParam<Isa> {
 protected:
  int64_t Draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  int32_t ZeroPoint() {
    const int32_t some[] = {0, 255, 127, 128,
                            static_cast<int32_t>(Draw(0, 255))};
    return some[Draw(0, 4)];
  }

  // Memory of exactly `n` elements: the address sanitizer sees what is read or
  // written outside.
  std::unique_ptr<uint8_t[]> Codes(int64_t n, int64_t low = 0,
                                   int64_t high = 255) {
    std::unique_ptr<uint8_t[]> codes(new uint8_t[n]);
    for (int64_t i = 0; i < n; ++i) {
      codes[i] = static_cast<uint8_t>(Draw(low, high));
    }
    return codes;
  }

  // As above, of any range: codes of nearly one value cancel in their variance,
  // and any mean meets any zero point.
  std::unique_ptr<uint8_t[]> CodesOfAnyRange(int64_t n) {
    const int64_t low = Draw(0, 255);
    return Codes(n, low, std::min<int64_t>(low + Draw(0, 255), 255));
  }

  std::unique_ptr<float[]> Floats(int64_t n) {
    std::unique_ptr<float[]> floats(new float[n]);
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < n; ++i) {
      floats[i] = normal(random_);
    }
    return floats;
  }

  // Returns a random spec. Its scales, weight or bias may have values that are
  // not finite; its weight or bias may be null. They have `count` elements (at
  // least 1), which live until the next call.
  NormalizationSpec AnySpec(int64_t count) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const float scales[] = {0.02f,  0.001f, 1.0f / 3,  1e-4f, 1e-12f,
                            1e-30f, 1e30f,  kInfinity, kNan};
    const double epsilons[] = {1e-5, 1e-12, 0.0, 0.1};
    weight_ = Floats(count);
    bias_ = Floats(count);
    for (float* values : {weight_.get(), bias_.get()}) {
      if (Draw(0, 4) == 0) {
        values[Draw(0, count - 1)] = kNan;
        values[Draw(0, count - 1)] = -kInfinity;
      }
    }
    NormalizationSpec spec;
    spec.input_scale = scales[Draw(0, Draw(1, 8))];
    spec.input_zero_point = ZeroPoint();
    spec.weight = Draw(0, 3) == 0 ? nullptr : weight_.get();
    spec.bias = Draw(0, 3) == 0 ? nullptr : bias_.get();
    spec.eps = epsilons[Draw(0, 3)];
    spec.output_scale = scales[Draw(0, Draw(1, 8))];
    spec.output_zero_point = ZeroPoint();
    return spec;
  }

 private:
  std::mt19937 random_{5};
  std::unique_ptr<float[]> weight_;
  std::unique_ptr<float[]> bias_;
  ScopedIsa isa_{GetParam()};
};

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_NORMALIZATION_NORMALIZATION_TEST_BASE_H_
