#include "passes/kernels/elementwise/requantize.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/elementwise/dequantize.h"
#include "passes/kernels/elementwise/dequantize_formula.h"
#include "passes/kernels/elementwise/quantize.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"

namespace ns::kernels {
namespace {

class RequantizeTest : public ElementwiseTest {};

INSTANTIATE_TEST_SUITE_P(Isa, RequantizeTest,
                         testing::ValuesIn(SupportedIsas()), NameOfIsa);

template <typename Code>
std::vector<Code> Expected(const std::vector<Code>& codes, QParams from,
                           QParams to) {
  if (from == to) {
    return codes;
  }
  const int64_t count = static_cast<int64_t>(codes.size());
  return InScalar([&] {
    std::vector<float> values(codes.size());
    std::vector<Code> out(codes.size());
    Dequantize(codes.data(), count, from, values.data(), Serial);
    Quantize(values.data(), count, to, out.data(), Serial);
    return out;
  });
}

template <typename Code>
std::vector<Code> Requantized(const std::vector<Code>& codes, QParams from,
                              QParams to, int64_t offset = 0) {
  const int64_t count = static_cast<int64_t>(codes.size());
  const ExactArray<Code> in(codes, offset);
  ExactArray<Code> out(count, offset);
  RequantizeValues(in.data(), count, from, to, out.data(), Serial);
  EXPECT_TRUE(out.IsUntouchedBefore());
  return out.ToVector();
}

template <typename Code>
void ExpectAllCodesAreRequantized(bool is_signed) {
  for (const QParams& from : SomeQParams(is_signed)) {
    for (const QParams& to : SomeQParams(is_signed)) {
      ASSERT_EQ(Requantized(AllCodes<Code>(), from, to),
                Expected(AllCodes<Code>(), from, to))
          << from.scale << " " << from.zero_point << " " << to.scale << " "
          << to.zero_point;
    }
  }
}

TEST_P(RequantizeTest, DequantizesAndQuantizesAllUnsignedCodes) {
  ExpectAllCodesAreRequantized<uint8_t>(false);
}

TEST_P(RequantizeTest, DequantizesAndQuantizesAllSignedCodes) {
  ExpectAllCodesAreRequantized<int8_t>(true);
}

TEST_P(RequantizeTest, TakesAnySizeAndAlignment) {
  std::mt19937 random(1);
  for (int64_t size = 0; size <= 1000; size += size < 140 ? 1 : 43) {
    const std::vector<uint8_t> codes = RandomCodes<uint8_t>(size, random);
    ASSERT_EQ(Requantized(codes, {0.1f, 3}, {0.07f, 100},
                          static_cast<int64_t>(random() % 70)),
              Expected(codes, {0.1f, 3}, {0.07f, 100}));
  }
}

TEST_P(RequantizeTest, CopiesRowsIntoPlace) {
  std::mt19937 random(2);
  const QParams from{0.1f, 3};
  for (const QParams& to : {QParams{0.07f, 100}, from}) {
    for (const int64_t rows : {0, 1, 5}) {
      for (const int64_t row_bytes : {0, 1, 24, 63, 64, 65, 200}) {
        const int64_t src_stride = row_bytes + 3;
        const int64_t dst_stride = row_bytes + 10;
        // Nothing follows the last row.
        const auto bytes = [&](int64_t stride) {
          return rows == 0 ? 0 : (rows - 1) * stride + row_bytes;
        };
        const std::vector<uint8_t> codes =
            RandomCodes<uint8_t>(bytes(src_stride), random);
        const ExactArray<uint8_t> src(codes, 1);
        std::vector<uint8_t> expected(bytes(dst_stride), 0xA5);
        ExactArray<uint8_t> dst(expected, 2);
        CopyRequantized(src.data(), src_stride, rows, row_bytes, from,
                        dst.data(), dst_stride, to, Backwards);
        const std::vector<uint8_t> all = Expected(codes, from, to);
        for (int64_t row = 0; row < rows; ++row) {
          std::copy_n(all.begin() + row * src_stride, row_bytes,
                      expected.begin() + row * dst_stride);
        }
        ASSERT_EQ(dst.ToVector(), expected) << rows << " " << row_bytes;
      }
    }
  }
}

TEST_P(RequantizeTest, ReadsRowsAsAsked) {
  // The output's step is two of the input, so that half of all are ties.
  const QParams from{0.1f, 77};
  const QParams to{0.2f, 50};
  const std::vector<uint8_t> codes = AllCodes<uint8_t>();
  std::vector<uint8_t> subtracted(256);
  std::vector<uint8_t> fused(256);
  CopyRequantized(codes.data(), 64, 4, 64, from, subtracted.data(), 64, to,
                  Serial);
  CopyRequantized(codes.data(), 64, 4, 64, from, fused.data(), 64, to, Serial,
                  DequantizeFormula::kFma);
  EXPECT_EQ(subtracted, Expected(codes, from, to));
  EXPECT_NE(fused, subtracted);
  for (int code = 0; code < 256; ++code) {
    const float value = std::fma(0.1f, static_cast<float>(code), 0.1f * -77.0f);
    EXPECT_EQ(fused[code],
              std::clamp(std::nearbyint(value * (1.0f / 0.2f)) + 50.0f, 0.0f,
                         255.0f));
  }
}

TEST_P(RequantizeTest, WorksInPlace) {
  std::mt19937 random(3);
  const std::vector<uint8_t> codes = RandomCodes<uint8_t>(1001, random);
  std::vector<uint8_t> out = codes;
  RequantizeValues(out.data(), 1001, {0.1f, 3}, {0.07f, 100}, out.data(),
                   Serial);
  EXPECT_EQ(out, Expected(codes, {0.1f, 3}, {0.07f, 100}));
}

}  // namespace
}  // namespace ns::kernels
