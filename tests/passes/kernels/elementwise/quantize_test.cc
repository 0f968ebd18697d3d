#include "passes/kernels/elementwise/quantize.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class QuantizeTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, QuantizeTest, testing::ValuesIn(SupportedIsas()),
                         NameOfIsa);

template <typename Code>
std::vector<Code> Quantized(const std::vector<float>& values, QParams qparams,
                            int64_t offset = 0) {
  const ExactArray<float> in(values, offset);
  ExactArray<Code> out(static_cast<int64_t>(values.size()), offset);
  Quantize(in.data(), static_cast<int64_t>(values.size()), qparams, out.data(),
           Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

// In a block of its own, and as what is left of one.
template <typename Code>
int CodeOf(float value, QParams qparams) {
  const std::vector<Code> codes =
      Quantized<Code>(std::vector<float>(65, value), qparams);
  for (const Code code : codes) {
    EXPECT_EQ(code, codes[0]);
  }
  return codes[0];
}

// The formula without fbgemm's ways at the ends of s32.
template <typename Code>
Code Expected(float value, QParams qparams) {
  using Limits = std::numeric_limits<Code>;
  const double rounded =
      std::nearbyint(value * (1.0f / qparams.scale)) + qparams.zero_point;
  return static_cast<Code>(
      std::clamp<double>(rounded, Limits::min(), Limits::max()));
}

TEST_P(QuantizeTest, TiesGoToEvenBeforeZeroPointIsAdded) {
  for (const int zero_point : {0, 7, 100}) {
    const QParams qparams{1.0f, zero_point};
    EXPECT_EQ(CodeOf<uint8_t>(0.5f, qparams), zero_point + 0);
    EXPECT_EQ(CodeOf<uint8_t>(1.5f, qparams), zero_point + 2);
    EXPECT_EQ(CodeOf<uint8_t>(2.5f, qparams), zero_point + 2);
    EXPECT_EQ(CodeOf<int8_t>(-0.5f, qparams), zero_point + 0);
    EXPECT_EQ(CodeOf<int8_t>(-1.5f, qparams), zero_point - 2);
    EXPECT_EQ(CodeOf<int8_t>(-2.5f, qparams), zero_point - 2);
  }
}

// Ties go to even after it, and what is added to a small product rounds that.
TEST_P(QuantizeTest, ShiftedAddsTheZeroPointBeforeItRounds) {
  const std::vector<float> values = {0.5f,        1.5f,   -0.5f, 1e-9f,
                                     1000.0f,     -1e30f, 1e30f, -200.0f,
                                     0.49999997f, kNan};
  const std::vector<uint8_t> expected = {8, 8, 6, 7, 255, 0, 255, 0, 8, 255};
  for (const int64_t repeated : {1, 7}) {
    std::vector<float> in;
    for (int64_t i = 0; i < repeated; ++i) {
      in.insert(in.end(), values.begin(), values.end());
    }
    std::vector<uint8_t> out(in.size());
    QuantizeShifted(in.data(), static_cast<int64_t>(in.size()), 1.0f, 7.0f,
                    out.data(), Serial);
    for (size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(out[i], expected[i % values.size()]) << in[i];
    }
  }
}

TEST_P(QuantizeTest, MultipliesByReciprocal) {
  // The quotient is 127.49999; the product with the reciprocal is 127.5.
  EXPECT_EQ(CodeOf<uint8_t>(0.273939937f, {0.00214854861f, 0}), 128);
}

TEST_P(QuantizeTest, SaturatesAtCodes) {
  EXPECT_EQ(CodeOf<uint8_t>(300.0f, {1.0f, 0}), 255);
  EXPECT_EQ(CodeOf<uint8_t>(100000.0f, {1.0f, 255}), 255);
  EXPECT_EQ(CodeOf<uint8_t>(-1.0f, {1.0f, 0}), 0);
  EXPECT_EQ(CodeOf<uint8_t>(-100000.0f, {1.0f, 255}), 0);
  EXPECT_EQ(CodeOf<int8_t>(128.0f, {1.0f, 0}), 127);
  EXPECT_EQ(CodeOf<int8_t>(-129.0f, {1.0f, 0}), -128);
}

TEST_P(QuantizeTest, WrapsBeyondIntegersAsFbgemmDoes) {
  for (const float large : {kNan, kInf, 1e30f, 2147483648.0f}) {
    EXPECT_EQ(CodeOf<uint8_t>(large, {1.0f, 0}), 255);
    EXPECT_EQ(CodeOf<uint8_t>(large, {1.0f, 127}), 255);
    EXPECT_EQ(CodeOf<uint8_t>(large, {1.0f, 128}), 0);
    EXPECT_EQ(CodeOf<uint8_t>(large, {1.0f, 255}), 0);
    EXPECT_EQ(CodeOf<int8_t>(large, {1.0f, -128}), 127);
    EXPECT_EQ(CodeOf<int8_t>(large, {1.0f, 127}), 127);
  }
  for (const float low : {-kInf, -1e30f, -2147483648.0f}) {
    EXPECT_EQ(CodeOf<uint8_t>(low, {1.0f, 0}), 0);
    EXPECT_EQ(CodeOf<uint8_t>(low, {1.0f, 255}), 0);
    EXPECT_EQ(CodeOf<int8_t>(low, {1.0f, 0}), -128);
    EXPECT_EQ(CodeOf<int8_t>(low, {1.0f, -1}), 127);
  }
}

TEST_P(QuantizeTest, FollowsFormulaOfOrdinaryValues) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 5);
  std::vector<float> values(10000);
  for (float& value : values) {
    value = normal(random);
  }
  for (const float scale : {0.037f, 0.1f, 1.0f / 3}) {
    for (const int zero_point : {0, 1, 77, 127}) {
      const QParams qparams{scale, zero_point};
      const std::vector<uint8_t> unsigned_codes =
          Quantized<uint8_t>(values, qparams);
      const std::vector<int8_t> signed_codes =
          Quantized<int8_t>(values, qparams);
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(unsigned_codes[i], Expected<uint8_t>(values[i], qparams))
            << values[i];
        ASSERT_EQ(signed_codes[i], Expected<int8_t>(values[i], qparams))
            << values[i];
      }
    }
  }
}

TEST_P(QuantizeTest, EqualsReferenceOfSpecialValuesAndScales) {
  for (const QParams& qparams : SomeQParams(false)) {
    EXPECT_EQ(Quantized<uint8_t>(SpecialFloats(), qparams), InScalar([&] {
                return Quantized<uint8_t>(SpecialFloats(), qparams);
              }))
        << qparams.scale << " " << qparams.zero_point;
  }
  for (const QParams& qparams : SomeQParams(true)) {
    EXPECT_EQ(Quantized<int8_t>(SpecialFloats(), qparams), InScalar([&] {
                return Quantized<int8_t>(SpecialFloats(), qparams);
              }))
        << qparams.scale << " " << qparams.zero_point;
  }
}

TEST_P(QuantizeTest, EqualsReferenceOfAnySizeAndAlignment) {
  std::mt19937 random(2);
  for (int64_t size = 0; size <= 1000; size += size < 140 ? 1 : 43) {
    const std::vector<float> values = RandomFloats(size, random);
    const int64_t offset = static_cast<int64_t>(random() % 33);
    const QParams qparams{1.7f, static_cast<int32_t>(random() % 128)};
    ASSERT_EQ(Quantized<uint8_t>(values, qparams, offset), InScalar([&] {
                return Quantized<uint8_t>(values, qparams, offset);
              }))
        << size;
    ASSERT_EQ(Quantized<int8_t>(values, qparams, offset), InScalar([&] {
                return Quantized<int8_t>(values, qparams, offset);
              }))
        << size;
  }
}

TEST_P(QuantizeTest, PiecesMayComeInAnyOrder) {
  std::mt19937 random(3);
  const int64_t size = 200003;
  const std::vector<float> values = RandomFloats(size, random);
  std::vector<uint8_t> codes(size);
  Quantize(values.data(), size, {0.9f, 12}, codes.data(), Backwards);
  EXPECT_EQ(codes, Quantized<uint8_t>(values, {0.9f, 12}));
}

TEST_P(QuantizeTest, TakesQParamsOfChannel) {
  std::mt19937 random(4);
  for (const int64_t channels : {0, 1, 3, 17, 300}) {
    std::vector<float> scales;
    std::vector<int32_t> zero_points;
    for (int64_t i = 0; i < channels; ++i) {
      scales.push_back(0.01f * static_cast<float>(1 + random() % 1000));
      zero_points.push_back(static_cast<int32_t>(random() % 128));
    }
    for (const int64_t inner : {1, 2, 7, 31, 32, 49, 130}) {
      for (const int64_t rows : {0, 1, 5}) {
        const int64_t count = rows * channels * inner;
        const std::vector<float> values = RandomFloats(count, random);
        const ExactArray<float> in(values, 1);
        ExactArray<uint8_t> unsigned_codes(count, 3);
        ExactArray<int8_t> signed_codes(count, 3);
        QuantizePerChannel(in.data(), {rows, inner}, {scales, zero_points},
                           unsigned_codes.data(), Backwards);
        QuantizePerChannel(in.data(), {rows, inner}, {scales, zero_points},
                           signed_codes.data(), Backwards);
        std::vector<uint8_t> unsigned_expected(count);
        std::vector<int8_t> signed_expected(count);
        const ScopedIsa scalar(Isa::kScalar);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t channel = i / inner % channels;
          const QParams one{scales[channel], zero_points[channel]};
          Quantize(&values[i], 1, one, &unsigned_expected[i], Serial);
          Quantize(&values[i], 1, one, &signed_expected[i], Serial);
        }
        ASSERT_EQ(unsigned_codes.ToVector(), unsigned_expected)
            << rows << " " << channels << " " << inner;
        ASSERT_EQ(signed_codes.ToVector(), signed_expected)
            << rows << " " << channels << " " << inner;
      }
    }
  }
}

}  // namespace
}  // namespace ns::kernels
