#include "passes/kernels/normalization/group_norm.h"

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

int64_t SizeOf(const GroupNormShape& shape) {
  return shape.images * shape.channels * shape.positions;
}

class GroupNormTest : public NormalizationTest {
 protected:
  void ExpectSame(const uint8_t* input, const GroupNormShape& shape,
                  const NormalizationSpec& spec) {
    const int64_t n = SizeOf(shape);
    std::unique_ptr<uint8_t[]> expected(new uint8_t[n]);
    GroupNormReference(input, shape, spec, expected.get());
    std::unique_ptr<uint8_t[]> actual(new uint8_t[n]);
    GroupNorm(input, shape, spec, actual.get(), InPieces);
    ASSERT_EQ(std::vector<uint8_t>(actual.get(), actual.get() + n),
              std::vector<uint8_t>(expected.get(), expected.get() + n))
        << shape.images << " images, " << shape.channels << " channels, "
        << shape.groups << " groups, " << shape.positions << " positions, "
        << shape.channels_last;
  }
};

INSTANTIATE_TEST_SUITE_P(Isas, GroupNormTest,
                         ::testing::ValuesIn(SupportedIsas()),
                         [](const auto& info) { return IsaName(info.param); });

TEST_P(GroupNormTest, IsTheReferenceForAllWidths) {
  for (const bool channels_last : {false, true}) {
    for (int64_t width = 0; width <= 100; ++width) {
      // Positions and channels are what vectors go along.
      GroupNormShape shape;
      shape.images = 2;
      shape.groups = 2;
      shape.channels = channels_last ? 2 * width : 4;
      shape.positions = channels_last ? 3 : width;
      shape.channels_last = channels_last;
      const auto codes = Codes(SizeOf(shape));
      const auto weight = Floats(shape.channels);
      const auto bias = Floats(shape.channels);
      NormalizationSpec spec;
      spec.input_scale = 0.02f;
      spec.input_zero_point = ZeroPoint();
      spec.weight = width % 3 == 0 ? nullptr : weight.get();
      spec.bias = width % 4 == 0 ? nullptr : bias.get();
      spec.output_scale = 0.03f;
      spec.output_zero_point = ZeroPoint();
      ExpectSame(codes.get(), shape, spec);
    }
  }
}

TEST_P(GroupNormTest, IsTheReferenceForRandomShapes) {
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    GroupNormShape shape;
    shape.images = Draw(0, 3);
    shape.groups = Draw(1, 5);
    shape.channels = shape.groups * Draw(1, Draw(1, 20));
    shape.positions = Draw(1, Draw(1, 300));
    shape.channels_last = Draw(0, 1) == 1;
    ExpectSame(CodesOfAnyRange(SizeOf(shape)).get(), shape,
               AnySpec(shape.channels));
  }
}

TEST_P(GroupNormTest, LayoutsGiveTheSameCodes) {
  GroupNormShape shape;
  shape.images = 2;
  shape.channels = 12;
  shape.groups = 3;
  shape.positions = 35;
  const auto weight = Floats(shape.channels);
  NormalizationSpec spec;
  spec.input_zero_point = 90;
  spec.weight = weight.get();
  spec.output_scale = 0.02f;
  spec.output_zero_point = 120;
  const auto codes = Codes(SizeOf(shape));
  // From [images][channels][positions] to channels last.
  const auto transposed = [&](const uint8_t* from) {
    std::vector<uint8_t> to(SizeOf(shape));
    for (int64_t i = 0; i < shape.images; ++i) {
      for (int64_t c = 0; c < shape.channels; ++c) {
        for (int64_t p = 0; p < shape.positions; ++p) {
          to[(i * shape.positions + p) * shape.channels + c] =
              from[(i * shape.channels + c) * shape.positions + p];
        }
      }
    }
    return to;
  };
  std::vector<uint8_t> contiguous(SizeOf(shape));
  GroupNorm(codes.get(), shape, spec, contiguous.data(), Serial);
  shape.channels_last = true;
  std::vector<uint8_t> last(SizeOf(shape));
  GroupNorm(transposed(codes.get()).data(), shape, spec, last.data(), Serial);
  EXPECT_EQ(last, transposed(contiguous.data()));
}

TEST_P(GroupNormTest, SumsOfLargeGroupsDoNotWrap) {
  for (const bool channels_last : {false, true}) {
    GroupNormShape shape;
    shape.channels_last = channels_last;
    for (const int64_t channels : {1, 3}) {
      shape.channels = channels;
      shape.positions = 3 * 65536 + 77;
      std::vector<uint8_t> codes(SizeOf(shape), 255);
      std::fill_n(codes.begin(), codes.size() / 2, uint8_t{254});
      NormalizationSpec spec;
      spec.output_zero_point = 100;
      spec.output_scale = 0.1f;
      ExpectSame(codes.data(), shape, spec);
    }
  }
}

TEST_P(GroupNormTest, EachGroupIsNormalizedByItself) {
  // Two channels, each a group: 10 and 20, 30 and 50.
  GroupNormShape shape;
  shape.channels = 2;
  shape.groups = 2;
  shape.positions = 2;
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
  const std::vector<uint8_t> codes = {10, 20, 30, 50};
  std::vector<uint8_t> out(4);
  GroupNorm(codes.data(), shape, spec, out.data(), Serial);
  EXPECT_EQ(out, (std::vector<uint8_t>{100 - 12, 100 + 12, 100 + 4 - 8,
                                       100 + 4 + 8}));
  const std::vector<uint8_t> last = {10, 30, 20, 50};
  shape.channels_last = true;
  GroupNorm(last.data(), shape, spec, out.data(), Serial);
  EXPECT_EQ(out, (std::vector<uint8_t>{100 - 12, 100 + 4 - 8, 100 + 12,
                                       100 + 4 + 8}));
}

TEST_P(GroupNormTest, CodesAreNormalizedInPlace) {
  for (const bool channels_last : {false, true}) {
    GroupNormShape shape;
    shape.images = 2;
    shape.channels = 20;
    shape.groups = 5;
    shape.positions = 9;
    shape.channels_last = channels_last;
    const auto codes = Codes(SizeOf(shape));
    NormalizationSpec spec;
    spec.output_scale = 0.02f;
    spec.output_zero_point = 128;
    std::vector<uint8_t> expected(SizeOf(shape));
    GroupNormReference(codes.get(), shape, spec, expected.data());
    GroupNorm(codes.get(), shape, spec, codes.get(), Serial);
    EXPECT_EQ(std::vector<uint8_t>(codes.get(), codes.get() + SizeOf(shape)),
              expected);
  }
}

}  // namespace
}  // namespace ns::kernels
