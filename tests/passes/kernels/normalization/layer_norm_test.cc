#include "passes/kernels/normalization/layer_norm.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/normalization/normalization_spec.h"
#include "tests/passes/kernels/normalization/normalization_test_base.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

class LayerNormTest : public NormalizationTest {
 protected:
  void ExpectSame(const uint8_t* input, int64_t rows, int64_t n,
                  const NormalizationSpec& spec) {
    std::unique_ptr<uint8_t[]> expected(new uint8_t[rows * n]);
    LayerNormReference(input, rows, n, spec, expected.get());
    std::unique_ptr<uint8_t[]> actual(new uint8_t[rows * n]);
    LayerNorm(input, rows, n, spec, actual.get(), InPieces);
    ASSERT_EQ(std::vector<uint8_t>(actual.get(), actual.get() + rows * n),
              std::vector<uint8_t>(expected.get(), expected.get() + rows * n))
        << rows << " rows of " << n;
  }
};

INSTANTIATE_TEST_SUITE_P(Isas, LayerNormTest,
                         ::testing::ValuesIn(SupportedIsas()),
                         [](const auto& info) { return IsaName(info.param); });

TEST_P(LayerNormTest, IsTheReferenceForAllWidths) {
  for (int64_t n = 0; n <= 300; ++n) {
    const auto codes = Codes(2 * n);
    const auto weight = Floats(n);
    const auto bias = Floats(n);
    NormalizationSpec spec;
    spec.input_scale = 0.02f;
    spec.input_zero_point = ZeroPoint();
    spec.weight = n % 3 == 0 ? nullptr : weight.get();
    spec.bias = n % 4 == 0 ? nullptr : bias.get();
    spec.output_scale = 0.03f;
    spec.output_zero_point = ZeroPoint();
    ExpectSame(codes.get(), 2, n, spec);
  }
}

TEST_P(LayerNormTest, IsTheReferenceForRandomRows) {
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    const int64_t rows = Draw(0, 7);
    const int64_t n = Draw(0, 1) == 0 ? Draw(1, 1200) : Draw(1, 80);
    ExpectSame(CodesOfAnyRange(rows * n).get(), rows, n, AnySpec(n));
  }
}

TEST_P(LayerNormTest, OneSubtractionIsTwoForEveryMeanAndZeroPoint) {
  // Means of three codes do not end, and outputs are codes of small steps.
  NormalizationSpec spec;
  spec.input_scale = 1;
  spec.output_scale = 0x1p-20f;
  for (int zero_point = 0; zero_point <= 255; zero_point += 5) {
    spec.input_zero_point = zero_point;
    const auto codes = Codes(3 * 100);
    for (const int output_zero_point : {0, 255}) {
      spec.output_zero_point = output_zero_point;
      ExpectSame(codes.get(), 100, 3, spec);
    }
  }
}

TEST_P(LayerNormTest, SumsOfLongRowsDoNotWrap) {
  const int64_t n = 3 * 8192 * 64 + 77;
  std::unique_ptr<uint8_t[]> codes(new uint8_t[n]);
  std::fill_n(codes.get(), n, uint8_t{255});
  std::fill_n(codes.get(), n / 2, uint8_t{254});
  NormalizationSpec spec;
  spec.output_zero_point = 100;
  spec.output_scale = 0.1f;
  ExpectSame(codes.get(), 1, n, spec);
}

TEST_P(LayerNormTest, ConstantRowsGiveTheBias) {
  const std::vector<uint8_t> codes(40, 9);
  const std::vector<float> bias(40, 1.5f);
  NormalizationSpec spec;
  spec.bias = bias.data();
  spec.output_scale = 0.5f;
  spec.output_zero_point = 10;
  std::vector<uint8_t> out(40);
  LayerNorm(codes.data(), 1, 40, spec, out.data(), Serial);
  EXPECT_EQ(out, std::vector<uint8_t>(40, 13));
}

TEST_P(LayerNormTest, TwoValuesAreOneDeviationFromTheirMean) {
  const std::vector<uint8_t> codes = {10, 20, 30, 50};
  const std::vector<float> weight = {3, 2};
  const std::vector<float> bias = {0, 1};
  NormalizationSpec spec;
  spec.input_scale = 0.5f;
  spec.input_zero_point = 7;
  spec.weight = weight.data();
  spec.bias = bias.data();
  spec.eps = 0;
  spec.output_scale = 0.25f;
  spec.output_zero_point = 100;
  std::vector<uint8_t> out(4);
  LayerNorm(codes.data(), 2, 2, spec, out.data(), Serial);
  EXPECT_EQ(out, (std::vector<uint8_t>{100 - 12, 100 + 12, 100 - 12, 112}));
}

TEST_P(LayerNormTest, RowsAreNormalizedInPlace) {
  const auto codes = Codes(3 * 100);
  NormalizationSpec spec;
  spec.output_scale = 0.02f;
  spec.output_zero_point = 128;
  std::vector<uint8_t> expected(300);
  LayerNormReference(codes.get(), 3, 100, spec, expected.data());
  LayerNorm(codes.get(), 3, 100, spec, codes.get(), Serial);
  EXPECT_EQ(std::vector<uint8_t>(codes.get(), codes.get() + 300), expected);
}

}  // namespace
}  // namespace ns::kernels
