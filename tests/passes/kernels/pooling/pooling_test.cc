#include "passes/kernels/pooling/pooling.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "tests/passes/kernels/in_pieces.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

// Memory of exactly `size` bytes, behind one byte so that nothing is aligned:
// the address sanitizer sees what is read or written outside.
class Buffer {
 public:
  explicit Buffer(int64_t size) : bytes_(new uint8_t[size + 1]), size_(size) {
    std::fill_n(bytes_.get(), size + 1, uint8_t{0xee});
  }
  uint8_t* data() { return bytes_.get() + 1; }
  int64_t size() const { return size_; }
  std::vector<uint8_t> Codes() { return {data(), data() + size_}; }

 private:
  std::unique_ptr<uint8_t[]> bytes_;
  int64_t size_;
};

class PoolingTest : public ::testing::TestWithParam<Isa> {
 protected:
  int64_t Draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  Buffer Codes(int64_t size) {
    Buffer codes(size);
    const int64_t low = Draw(0, 3) == 0 ? 253 : 0;
    for (int64_t i = 0; i < size; ++i) {
      codes.data()[i] = static_cast<uint8_t>(Draw(low, 255));
    }
    return codes;
  }

  int32_t ZeroPoint() {
    const int32_t some[] = {0, 255, 127, 128,
                            static_cast<int32_t>(Draw(0, 255))};
    return some[Draw(0, 4)];
  }

  int64_t Channels() {
    const int64_t some[] = {1, 3, 8, 16, 31, 64, 65, 200, Draw(1, 300)};
    return some[Draw(0, 8)];
  }

  template <typename Pool, typename Reference>
  void ExpectSame(const PoolInput& input, const Dims& out_size, Pool pool,
                  Reference reference) {
    const int64_t size =
        input.batch * out_size[0] * out_size[1] * out_size[2] * input.channels;
    Buffer expected(size);
    reference(expected.data());
    Buffer actual(size);
    pool(actual.data());
    ASSERT_EQ(actual.Codes(), expected.Codes())
        << "channels " << input.channels << ", size " << input.size[0] << "x"
        << input.size[1] << "x" << input.size[2];
  }

  void ExpectSameAverage(const PoolInput& input, const PoolWindow& window,
                         const Dims& out_size, const AverageSpec& spec) {
    ExpectSame(
        input, out_size,
        [&](uint8_t* out) {
          AveragePool(input, window, out_size, spec, out, InPieces);
        },
        [&](uint8_t* out) {
          AveragePoolReference(input, window, out_size, spec, out);
        });
  }

  void ExpectSameAdaptive(const PoolInput& input, const Dims& out_size,
                          const AverageSpec& spec) {
    ExpectSame(
        input, out_size,
        [&](uint8_t* out) {
          AdaptiveAveragePool(input, out_size, spec, out, InPieces);
        },
        [&](uint8_t* out) {
          AdaptiveAveragePoolReference(input, out_size, spec, out);
        });
  }

  std::mt19937 random_{7};
  ScopedIsa isa_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Isas, PoolingTest,
                         ::testing::ValuesIn(SupportedIsas()),
                         [](const auto& info) { return IsaName(info.param); });

PoolWindow Square(int64_t kernel, int64_t stride, int64_t padding) {
  PoolWindow window;
  window.kernel = {1, kernel, kernel};
  window.stride = {1, stride, stride};
  window.padding = {0, padding, padding};
  return window;
}

TEST_P(PoolingTest, MaxIsTheReferencesForRandomWindows) {
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    PoolInput input;
    PoolWindow window;
    Dims out_size;
    for (int dim = 0; dim < 3; ++dim) {
      const bool used = dim == 2 || Draw(0, 2) > 0;
      input.size[dim] = used ? Draw(0, 7) : 1;
      window.kernel[dim] = used ? Draw(1, 4) : 1;
      window.stride[dim] = Draw(1, 3);
      window.padding[dim] = used ? Draw(0, 3) : 0;
      window.dilation[dim] = Draw(1, 3);
      out_size[dim] = used ? Draw(0, 5) : 1;
    }
    input.batch = Draw(0, 2);
    input.channels = Channels();
    Buffer codes = Codes(input.batch * input.size[0] * input.size[1] *
                         input.size[2] * input.channels);
    input.quantized = codes.data();
    ExpectSame(
        input, out_size,
        [&](uint8_t* out) { MaxPool(input, window, out_size, out, InPieces); },
        [&](uint8_t* out) { MaxPoolReference(input, window, out_size, out); });
  }
}

TEST_P(PoolingTest, MaxOfEveryChannelCountIsTheReferences) {
  for (int64_t channels = 1; channels <= 300; ++channels) {
    Buffer codes = Codes(3 * 3 * channels);
    const PoolInput input = {codes.data(), 1, {1, 3, 3}, channels};
    const PoolWindow window = Square(2, 1, 0);
    ExpectSame(
        input, {1, 2, 2},
        [&](uint8_t* out) {
          MaxPool(input, window, {1, 2, 2}, out, Serial);
        },
        [&](uint8_t* out) {
          MaxPoolReference(input, window, {1, 2, 2}, out);
        });
  }
}

TEST_P(PoolingTest, PaddingNeverWinsAMax) {
  const uint8_t codes[] = {3, 1, 2, 0};
  uint8_t out[9];
  MaxPool({codes, 1, {1, 2, 2}, 1}, Square(2, 1, 1), {1, 3, 3}, out, Serial);
  EXPECT_EQ(std::vector<uint8_t>(out, out + 9),
            (std::vector<uint8_t>{3, 3, 1, 3, 3, 1, 2, 2, 0}));
}

TEST_P(PoolingTest, MaxOfNothingIsZero) {
  uint8_t out[2] = {9, 9};
  MaxPool({nullptr, 1, {1, 0, 0}, 2}, Square(2, 1, 1), {1, 1, 1}, out, Serial);
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 0);
}

TEST_P(PoolingTest, AverageIsTheReferencesForRandomWindows) {
  const float scales[] = {0.02f,
                          1.0f / 3,
                          1e-30f,
                          1e30f,
                          std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()};
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    PoolInput input;
    PoolWindow window;
    Dims out_size;
    for (int dim = 0; dim < 3; ++dim) {
      const bool used = dim == 2 || Draw(0, 2) > 0;
      input.size[dim] = used ? Draw(0, 7) : 1;
      window.kernel[dim] = used ? Draw(1, 4) : 1;
      window.stride[dim] = Draw(1, 3);
      window.padding[dim] = used ? Draw(0, 3) : 0;
      window.dilation[dim] = Draw(1, 3);
      out_size[dim] = used ? Draw(0, 5) : 1;
    }
    input.batch = Draw(0, 2);
    input.channels = Channels();
    Buffer codes = Codes(input.batch * input.size[0] * input.size[1] *
                         input.size[2] * input.channels);
    input.quantized = codes.data();
    AverageSpec spec;
    spec.input_scale = scales[Draw(0, 5)];
    spec.output_scale = Draw(0, 1) == 0 ? spec.input_scale : scales[Draw(0, 5)];
    spec.input_zero_point = ZeroPoint();
    spec.output_zero_point = ZeroPoint();
    spec.rule =
        Draw(0, 1) == 0 ? AverageRule::kChannelsLast : AverageRule::kContiguous;
    spec.count_include_pad = Draw(0, 1) == 0;
    spec.divisor = Draw(0, 2) == 0 ? Draw(-9, 9) : 0;
    ExpectSameAverage(input, window, out_size, spec);
    ExpectSameAdaptive(input, out_size, spec);
  }
}

TEST_P(PoolingTest, AverageOfEveryChannelCountIsTheReferences) {
  for (int64_t channels = 1; channels <= 300; ++channels) {
    Buffer codes = Codes(3 * 3 * channels);
    const PoolInput input = {codes.data(), 1, {1, 3, 3}, channels};
    AverageSpec spec;
    spec.input_zero_point = spec.output_zero_point = ZeroPoint();
    ExpectSameAverage(input, Square(2, 1, 0), {1, 2, 2}, spec);
  }
}

TEST_P(PoolingTest, SumsOfManyCodesDoNotWrap) {
  // 257 codes of 255 are the most that 16 bits hold.
  for (const int64_t count : {256, 257, 258, 514, 515, 2000}) {
    for (const int64_t channels : {1, 8, 16, 64, 130}) {
      Buffer codes(count * channels);
      std::fill_n(codes.data(), codes.size(), uint8_t{255});
      const PoolInput input = {codes.data(), 1, {1, 1, count}, channels};
      ExpectSameAdaptive(input, {1, 1, 1}, AverageSpec());
      Buffer out(channels);
      AdaptiveAveragePool(input, {1, 1, 1}, AverageSpec(), out.data(), Serial);
      EXPECT_EQ(out.Codes(), std::vector<uint8_t>(channels, 255));
    }
  }
}

TEST_P(PoolingTest, TiesRoundToEvenBeforeTheZeroPointIsAdded) {
  // Averages of 0.5 and 1.5 above a zero point of 1.
  const uint8_t codes[] = {1, 2, 2, 3};
  const PoolInput input = {codes, 1, {1, 1, 4}, 1};
  PoolWindow window;
  window.kernel = window.stride = {1, 1, 2};
  AverageSpec spec;
  spec.input_zero_point = spec.output_zero_point = 1;
  uint8_t out[2];
  AveragePool(input, window, {1, 1, 2}, spec, out, Serial);
  EXPECT_EQ(out[0], 1 + 0);
  EXPECT_EQ(out[1], 1 + 2);
  // The other rule rounds 1.5 and 2.5.
  spec.rule = AverageRule::kContiguous;
  AveragePool(input, window, {1, 1, 2}, spec, out, Serial);
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 2);
}

TEST_P(PoolingTest, DivisorCountsPaddingWhenAsked) {
  const uint8_t codes[] = {8, 8, 8, 8};
  const PoolInput input = {codes, 1, {1, 2, 2}, 1};
  AverageSpec spec;
  uint8_t out = 0;
  AveragePool(input, Square(2, 2, 1), {1, 1, 1}, spec, &out, Serial);
  EXPECT_EQ(out, 2);
  spec.count_include_pad = false;
  AveragePool(input, Square(2, 2, 1), {1, 1, 1}, spec, &out, Serial);
  EXPECT_EQ(out, 8);
  spec.divisor = 2;
  AveragePool(input, Square(2, 2, 1), {1, 1, 1}, spec, &out, Serial);
  EXPECT_EQ(out, 4);
}

TEST_P(PoolingTest, PaddingBelowTheLastStrideIsNotCounted) {
  // With ceil_mode, the second window begins at 2 and ends past size + padding.
  const uint8_t codes[] = {9, 9, 9};
  const PoolInput input = {codes, 1, {1, 1, 3}, 1};
  PoolWindow window;
  window.kernel = {1, 1, 3};
  window.stride = {1, 1, 2};
  uint8_t out[2];
  AveragePool(input, window, {1, 1, 2}, AverageSpec(), out, Serial);
  EXPECT_EQ(out[0], 9);
  EXPECT_EQ(out[1], 9);
}

TEST_P(PoolingTest, AdaptiveWindowsOverlapWhereSizesDoNotDivide) {
  const uint8_t codes[] = {0, 10, 20, 30, 40};
  const PoolInput input = {codes, 1, {1, 1, 5}, 1};
  uint8_t out[3];
  AdaptiveAveragePool(input, {1, 1, 3}, AverageSpec(), out, Serial);
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 20);
  EXPECT_EQ(out[2], 35);
}

TEST_P(PoolingTest, WindowsOfUsualLayersAreTheReferences) {
  struct Layer {
    int64_t kernel;
    int64_t stride;
    int64_t padding;
  };
  for (const Layer& layer : {Layer{2, 2, 0}, {3, 2, 1}, {3, 1, 1}, {5, 1, 2}}) {
    for (const int64_t channels : {3, 24, 64, 100, 288}) {
      const int64_t size = 9;
      Buffer codes = Codes(size * size * channels);
      const PoolInput input = {codes.data(), 1, {1, size, size}, channels};
      const PoolWindow window =
          Square(layer.kernel, layer.stride, layer.padding);
      const int64_t out =
          (size + 2 * layer.padding - layer.kernel) / layer.stride + 1;
      const Dims out_size = {1, out, out};
      ExpectSame(
          input, out_size,
          [&](uint8_t* to) { MaxPool(input, window, out_size, to, InPieces); },
          [&](uint8_t* to) { MaxPoolReference(input, window, out_size, to); });
      AverageSpec spec;
      spec.input_zero_point = spec.output_zero_point = ZeroPoint();
      ExpectSameAverage(input, window, out_size, spec);
    }
  }
}

TEST_P(PoolingTest, AdaptiveIsTheReferencesForManySizes) {
  const int64_t shapes = RandomShapes();
  for (int64_t trial = 0; trial < shapes && !HasFailure(); ++trial) {
    PoolInput input;
    input.size = {Draw(1, 3), Draw(1, 9), Draw(1, 9)};
    input.channels = Channels();
    input.batch = Draw(1, 2);
    Buffer codes = Codes(input.batch * input.size[0] * input.size[1] *
                         input.size[2] * input.channels);
    input.quantized = codes.data();
    AverageSpec spec;
    spec.input_scale = spec.output_scale = 0.1f;
    spec.input_zero_point = spec.output_zero_point = ZeroPoint();
    spec.rule =
        Draw(0, 1) == 0 ? AverageRule::kChannelsLast : AverageRule::kContiguous;
    ExpectSameAdaptive(input, {Draw(1, 3), Draw(1, 10), Draw(1, 10)}, spec);
  }
}

}  // namespace
}  // namespace ns::kernels
