#include "passes/kernels/normalization/softmax.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"
#include "tests/passes/kernels/normalization/normalization_test_base.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

// What LibTorch gives for no more than 1, so that all results have a code.
constexpr QParams kUnit = {1.0f / 256, 0};

class SoftmaxTest : public NormalizationTest {
 protected:
  void ExpectSame(const uint8_t* input, int64_t rows, int64_t n,
                  float input_scale, QParams output) {
    std::unique_ptr<uint8_t[]> expected(new uint8_t[rows * n]);
    SoftmaxReference(input, rows, n, input_scale, output, expected.get());
    std::unique_ptr<uint8_t[]> actual(new uint8_t[rows * n]);
    Softmax(input, rows, n, input_scale, output, actual.get(), InPieces);
    ASSERT_EQ(Bytes(actual.get(), actual.get() + rows * n),
              Bytes(expected.get(), expected.get() + rows * n))
        << rows << " rows of " << n;
  }

  Bytes SoftmaxOf(const Bytes& row, float input_scale, QParams output) {
    Bytes out(row.size());
    Softmax(row.data(), 1, static_cast<int64_t>(row.size()), input_scale,
            output, out.data(), Serial);
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(Isas, SoftmaxTest,
                         ::testing::ValuesIn(SupportedIsas()),
                         [](const auto& info) { return IsaName(info.param); });

TEST_P(SoftmaxTest, IsTheReferenceForAllWidths) {
  for (int64_t n = 0; n <= 300; ++n) {
    ExpectSame(Codes(2 * n).get(), 2, n, 0.02f, kUnit);
  }
}

TEST_P(SoftmaxTest, IsTheReferenceForRandomRows) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float scales[] = {0.02f, 0.1f,   1.0f / 3, 1e-4f,
                          7.0f,  1e-30f, 1e30f,    kInfinity};
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    const int64_t rows = Draw(0, 7);
    const int64_t n = Draw(0, 1) == 0 ? Draw(1, 1200) : Draw(1, 80);
    ExpectSame(CodesOfAnyRange(rows * n).get(), rows, n, scales[Draw(0, 6)],
               {scales[Draw(0, 7)] / 10, ZeroPoint()});
  }
}

// The definition, in double.
TEST_P(SoftmaxTest, IsWithinAStepOfTheDefinition) {
  for (int64_t trial = 0; trial < 500; ++trial) {
    const int64_t n = Draw(1, 600);
    const double scale = 0.5 / static_cast<double>(Draw(1, 100));
    const auto codes = CodesOfAnyRange(n);
    const Bytes row(codes.get(), codes.get() + n);
    const Bytes out = SoftmaxOf(row, static_cast<float>(scale), kUnit);
    double sum = 0;
    for (const uint8_t code : row) {
      sum += std::exp(code * scale);
    }
    for (int64_t i = 0; i < n; ++i) {
      const double exact = std::exp(row[i] * scale) / sum * 256;
      ASSERT_NEAR(out[i], std::fmin(exact, 255), 0.5001) << i << " of " << n;
    }
  }
}

TEST_P(SoftmaxTest, EqualValuesShareOneEqually) {
  EXPECT_EQ(SoftmaxOf(Bytes(8, 200), 0.1f, kUnit), Bytes(8, 32));
  EXPECT_EQ(SoftmaxOf(Bytes(50, 0), 0.1f, {0.01f, 100}), Bytes(50, 102));
}

TEST_P(SoftmaxTest, AValueFarAboveTheOthersHasAllOfIt) {
  Bytes row(40, 0);
  row[33] = 255;
  Bytes expected(40, 0);
  expected[33] = 255;
  EXPECT_EQ(SoftmaxOf(row, 1.0f, kUnit), expected);
}

TEST_P(SoftmaxTest, RowsAreReplacedInPlace) {
  const auto codes = Codes(3 * 100);
  Bytes expected(300);
  SoftmaxReference(codes.get(), 3, 100, 0.03f, kUnit, expected.data());
  Softmax(codes.get(), 3, 100, 0.03f, kUnit, codes.get(), Serial);
  EXPECT_EQ(Bytes(codes.get(), codes.get() + 300), expected);
}

}  // namespace
}  // namespace ns::kernels
