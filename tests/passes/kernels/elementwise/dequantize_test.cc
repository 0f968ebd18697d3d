#include "passes/kernels/elementwise/dequantize.h"

#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class DequantizeTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, DequantizeTest,
                         testing::ValuesIn(SupportedIsas()), NameOfIsa);

// Bits, so that nans and signs of zeros are compared, too. Of nans, which are
// all the same to arithmetic, one pattern.
std::vector<uint32_t> Bits(const float* values, int64_t count) {
  std::vector<uint32_t> bits;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t each = 0;
    std::memcpy(&each, values + i, sizeof(each));
    bits.push_back(values[i] == values[i] ? each : 0x7FC00000u);
  }
  return bits;
}

template <typename Code>
std::vector<uint32_t> Dequantized(const std::vector<Code>& codes,
                                  QParams qparams, int64_t offset = 0) {
  const int64_t count = static_cast<int64_t>(codes.size());
  const ExactArray<Code> in(codes, offset);
  ExactArray<float> out(count, offset);
  Dequantize(in.data(), count, qparams, out.data(), Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return Bits(out.data(), count);
}

template <typename Code>
std::vector<uint32_t> Expected(const std::vector<Code>& codes,
                               QParams qparams) {
  std::vector<float> values;
  for (const Code code : codes) {
    values.push_back(qparams.scale *
                     static_cast<float>(code - qparams.zero_point));
  }
  return Bits(values.data(), static_cast<int64_t>(values.size()));
}

TEST_P(DequantizeTest, FollowsFormulaOfAllCodes) {
  for (const QParams& qparams : SomeQParams(false)) {
    EXPECT_EQ(Dequantized(AllCodes<uint8_t>(), qparams),
              Expected(AllCodes<uint8_t>(), qparams))
        << qparams.scale << " " << qparams.zero_point;
  }
  for (const QParams& qparams : SomeQParams(true)) {
    EXPECT_EQ(Dequantized(AllCodes<int8_t>(), qparams),
              Expected(AllCodes<int8_t>(), qparams))
        << qparams.scale << " " << qparams.zero_point;
  }
}

TEST_P(DequantizeTest, SubtractsZeroPointBeforeItRounds) {
  // fma(0.1, 3, -0.1 * 2) would be 0.100000009.
  EXPECT_EQ(Dequantized<uint8_t>({3}, {0.1f, 2}),
            Dequantized<uint8_t>({1}, {0.1f, 0}));
}

TEST_P(DequantizeTest, FollowsFormulaOfAnySizeAndAlignment) {
  std::mt19937 random(1);
  for (int64_t size = 0; size <= 1000; size += size < 140 ? 1 : 43) {
    const int64_t offset = static_cast<int64_t>(random() % 33);
    const QParams qparams{0.0371f, static_cast<int32_t>(random() % 128)};
    const std::vector<uint8_t> unsigned_codes =
        RandomCodes<uint8_t>(size, random);
    ASSERT_EQ(Dequantized(unsigned_codes, qparams, offset),
              Expected(unsigned_codes, qparams))
        << size;
    const std::vector<int8_t> signed_codes = RandomCodes<int8_t>(size, random);
    ASSERT_EQ(Dequantized(signed_codes, qparams, offset),
              Expected(signed_codes, qparams))
        << size;
  }
}

TEST_P(DequantizeTest, PiecesMayComeInAnyOrder) {
  std::mt19937 random(2);
  const int64_t size = 200003;
  const std::vector<uint8_t> codes = RandomCodes<uint8_t>(size, random);
  std::vector<float> values(size);
  Dequantize(codes.data(), size, {0.9f, 12}, values.data(), Backwards);
  EXPECT_EQ(Bits(values.data(), size), Expected(codes, {0.9f, 12}));
}

TEST_P(DequantizeTest, TakesQParamsOfChannel) {
  std::mt19937 random(3);
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
        const ExactArray<uint8_t> unsigned_codes(
            RandomCodes<uint8_t>(count, random), 3);
        const ExactArray<int8_t> signed_codes(
            RandomCodes<int8_t>(count, random), 3);
        ExactArray<float> unsigned_values(count, 1);
        ExactArray<float> signed_values(count, 1);
        DequantizePerChannel(unsigned_codes.data(), {rows, inner},
                             {scales, zero_points}, unsigned_values.data(),
                             Backwards);
        DequantizePerChannel(signed_codes.data(), {rows, inner},
                             {scales, zero_points}, signed_values.data(),
                             Backwards);
        for (int64_t i = 0; i < count; ++i) {
          const int64_t channel = i / inner % channels;
          const float scale = scales[channel];
          const int32_t zero_point = zero_points[channel];
          ASSERT_EQ(
              unsigned_values.data()[i],
              scale * static_cast<float>(unsigned_codes.data()[i] - zero_point))
              << rows << " " << channels << " " << inner << " " << i;
          ASSERT_EQ(
              signed_values.data()[i],
              scale * static_cast<float>(signed_codes.data()[i] - zero_point))
              << rows << " " << channels << " " << inner << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace ns::kernels
