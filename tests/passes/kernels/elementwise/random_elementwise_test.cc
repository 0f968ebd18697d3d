// Every elementwise kernel of every instruction set against its reference, on
// random shapes, alignments and numbers.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/channel_qparams.h"
#include "passes/kernels/elementwise/add.h"
#include "passes/kernels/elementwise/average_rows.h"
#include "passes/kernels/elementwise/clamp.h"
#include "passes/kernels/elementwise/dequantize.h"
#include "passes/kernels/elementwise/dequantize_formula.h"
#include "passes/kernels/elementwise/look_up.h"
#include "passes/kernels/elementwise/min_max.h"
#include "passes/kernels/elementwise/multiply.h"
#include "passes/kernels/elementwise/quantize.h"
#include "passes/kernels/elementwise/requantize.h"
#include "passes/kernels/elementwise/scale_channels.h"
#include "passes/kernels/isa.h"
#include "tests/passes/kernels/elementwise/elementwise_test_base.h"
#include "tests/passes/kernels/random_shapes.h"

namespace ns::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

// Draws the arguments of a kernel: the same for the same seed.
class Random {
 public:
  explicit Random(int64_t seed) : random_(seed) {}

  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % (high - low + 1));
  }
  bool Coin() { return random_() % 2 == 0; }

  // Few elements more often than many.
  int64_t Count() { return Between(0, Coin() ? 80 : 700); }

  template <typename Code>
  QParams Parameters() {
    const std::vector<QParams> some = SomeQParams(std::is_signed_v<Code>);
    QParams drawn = some[random_() % some.size()];
    if (Coin()) {
      drawn.scale = 0.001f * static_cast<float>(Between(1, 2000));
    }
    return drawn;
  }

  // Of as many channels; the spans live as long as this.
  template <typename Code>
  ChannelQParams ChannelParameters(int64_t channels) {
    for (int64_t i = 0; i < channels; ++i) {
      const QParams drawn = Parameters<Code>();
      scales_.push_back(drawn.scale);
      zero_points_.push_back(drawn.zero_point);
    }
    return {scales_, zero_points_};
  }

  template <typename Code>
  ExactArray<Code> Codes(int64_t count) {
    return {RandomCodes<Code>(count, random_), Offset()};
  }

  ExactArray<float> Floats(int64_t count) {
    std::vector<float> values = RandomFloats(count, random_);
    const std::vector<float> special = SpecialFloats();
    for (float& value : values) {
      if (random_() % 8 == 0) {
        value = special[random_() % special.size()];
      }
    }
    return {values, Offset()};
  }

  template <typename T>
  ExactArray<T> Output(int64_t count) {
    return {count, Offset()};
  }

 private:
  int64_t Offset() { return Between(0, 70); }

  std::mt19937 random_;
  std::vector<float> scales_;
  std::vector<int32_t> zero_points_;
};

template <typename T>
Bytes BytesOf(const ExactArray<T>& out) {
  EXPECT_TRUE(out.IsUntouchedBefore());
  const std::vector<T> values = out.ToVector();
  Bytes bytes(values.size() * sizeof(T));
  std::copy_n(reinterpret_cast<const uint8_t*>(values.data()), bytes.size(),
              bytes.data());
  return bytes;
}

Bytes QuantizeSomeShifted(Random& random) {
  const int64_t count = random.Count();
  const auto values = random.Floats(count);
  const QParams qparams = random.Parameters<uint8_t>();
  auto out = random.Output<uint8_t>(count);
  QuantizeShifted(values.data(), count, 1.0f / qparams.scale,
                  static_cast<float>(qparams.zero_point), out.data(),
                  Backwards);
  return BytesOf(out);
}

template <typename Code>
Bytes QuantizeSome(Random& random) {
  const int64_t count = random.Count();
  const auto values = random.Floats(count);
  auto out = random.Output<Code>(count);
  Quantize(values.data(), count, random.Parameters<Code>(), out.data(),
           Backwards);
  return BytesOf(out);
}

template <typename Code>
Bytes QuantizeChannels(Random& random) {
  const int64_t channels = random.Between(0, 40);
  const ChannelShape shape = {random.Between(0, 6), random.Between(1, 50)};
  const int64_t count = shape.rows * channels * shape.inner;
  const auto values = random.Floats(count);
  auto out = random.Output<Code>(count);
  QuantizePerChannel(values.data(), shape,
                     random.ChannelParameters<Code>(channels), out.data(),
                     Backwards);
  return BytesOf(out);
}

template <typename Code>
Bytes DequantizeSome(Random& random) {
  const int64_t count = random.Count();
  const auto codes = random.Codes<Code>(count);
  auto out = random.Output<float>(count);
  Dequantize(codes.data(), count, random.Parameters<Code>(), out.data(),
             Backwards);
  return BytesOf(out);
}

template <typename Code>
Bytes DequantizeChannels(Random& random) {
  const int64_t channels = random.Between(0, 40);
  const ChannelShape shape = {random.Between(0, 6), random.Between(1, 50)};
  const int64_t count = shape.rows * channels * shape.inner;
  const auto codes = random.Codes<Code>(count);
  auto out = random.Output<float>(count);
  DequantizePerChannel(codes.data(), shape,
                       random.ChannelParameters<Code>(channels), out.data(),
                       Backwards);
  return BytesOf(out);
}

template <typename Code>
Bytes RequantizeSome(Random& random) {
  const int64_t count = random.Count();
  const auto codes = random.Codes<Code>(count);
  const QParams from = random.Parameters<Code>();
  const QParams to = random.Coin() ? from : random.Parameters<Code>();
  auto out = random.Output<Code>(count);
  RequantizeValues(codes.data(), count, from, to, out.data(), Backwards);
  return BytesOf(out);
}

Bytes CopyRows(Random& random) {
  const int64_t rows = random.Between(0, 5);
  const int64_t row = random.Between(0, 200);
  const int64_t from_stride = row + random.Between(0, 9);
  const int64_t to_stride = row + random.Between(0, 9);
  // Nothing follows the last row.
  const auto bytes = [&](int64_t stride) {
    return rows == 0 ? 0 : (rows - 1) * stride + row;
  };
  const auto codes = random.Codes<uint8_t>(bytes(from_stride));
  const QParams from = random.Parameters<uint8_t>();
  const QParams to = random.Coin() ? from : random.Parameters<uint8_t>();
  auto out = random.Output<uint8_t>(bytes(to_stride));
  CopyRequantized(
      codes.data(), from_stride, rows, row, from, out.data(), to_stride, to,
      Backwards,
      random.Coin() ? DequantizeFormula::kSubtract : DequantizeFormula::kFma);
  return BytesOf(out);
}

// Add or Multiply.
template <auto kFunction>
Bytes CombineTwo(Random& random) {
  const int64_t count = random.Count();
  const auto a = random.Codes<uint8_t>(count);
  const auto b = random.Codes<uint8_t>(count);
  auto out = random.Output<uint8_t>(count);
  const QuantizedOperand left = {a.data(), random.Parameters<uint8_t>()};
  const QuantizedOperand right = {b.data(), random.Parameters<uint8_t>()};
  const bool relu = random.Coin();
  kFunction(left, right, count, relu, random.Parameters<uint8_t>(), out.data(),
            Backwards);
  return BytesOf(out);
}

Bytes AddFloats(Random& random) {
  const int64_t count = random.Count();
  const auto a = random.Floats(count);
  const auto b = random.Codes<uint8_t>(count);
  auto out = random.Output<uint8_t>(count);
  const QuantizedOperand right = {b.data(), random.Parameters<uint8_t>()};
  const bool relu = random.Coin();
  AddQuantize(a.data(), right, count, relu, random.Parameters<uint8_t>(),
              out.data(), Backwards);
  return BytesOf(out);
}

template <typename Code>
Bytes ClampSome(Random& random) {
  const int64_t count = random.Count();
  const auto codes = random.Codes<Code>(count);
  const auto bounds = random.Codes<Code>(2);
  auto out = random.Output<Code>(count);
  ClampValues(codes.data(), count, bounds.data()[0], bounds.data()[1],
              out.data(), Backwards);
  return BytesOf(out);
}

Bytes LookUpSome(Random& random) {
  const int64_t count = random.Count();
  const auto codes = random.Codes<uint8_t>(count);
  const auto drawn = random.Codes<uint8_t>(256);
  LookUpTable table;
  std::copy_n(drawn.data(), table.size(), table.begin());
  auto out = random.Output<uint8_t>(count);
  LookUp(codes.data(), count, table, out.data(), Backwards);
  return BytesOf(out);
}

Bytes FindRange(Random& random) {
  const int64_t count = random.Count();
  const auto values = random.Floats(count);
  const FloatRange range = MinMax(values.data(), count, Backwards);
  ExactArray<float> out({range.min, range.max}, 0);
  return BytesOf(out);
}

Bytes AverageSome(Random& random) {
  const int64_t rows = random.Between(0, 9);
  const int64_t size = random.Between(1, 300);
  const auto codes = random.Codes<uint8_t>(rows * size);
  auto out = random.Output<uint8_t>(rows);
  AverageRows(codes.data(), rows, size, random.Parameters<uint8_t>().zero_point,
              out.data(), Backwards);
  return BytesOf(out);
}

Bytes ScaleSome(Random& random) {
  const int64_t rows = random.Between(0, 6);
  const int64_t channels = random.Between(0, random.Coin() ? 20 : 150);
  const auto codes = random.Codes<uint8_t>(rows * channels);
  const auto factors = random.Floats(channels);
  const auto offsets = random.Floats(channels);
  auto out = random.Output<uint8_t>(rows * channels);
  ChannelScaling scaling;
  scaling.zero_point = random.Parameters<uint8_t>().zero_point;
  scaling.factors = {factors.data(), static_cast<size_t>(channels)};
  scaling.offsets = {offsets.data(), static_cast<size_t>(channels)};
  scaling.out_zero_point = random.Parameters<uint8_t>().zero_point;
  scaling.relu = random.Coin();
  ScaleChannels(codes.data(), rows, scaling, out.data(), Backwards);
  return BytesOf(out);
}

struct Kernel {
  const char* name;
  // Calls it with drawn arguments; what it gives, as bytes.
  Bytes (*call)(Random& random);
};

constexpr Kernel kKernels[] = {
    {"QuantizeU8", QuantizeSome<uint8_t>},
    {"QuantizeShifted", QuantizeSomeShifted},
    {"QuantizeS8", QuantizeSome<int8_t>},
    {"QuantizePerChannelU8", QuantizeChannels<uint8_t>},
    {"QuantizePerChannelS8", QuantizeChannels<int8_t>},
    {"DequantizeU8", DequantizeSome<uint8_t>},
    {"DequantizeS8", DequantizeSome<int8_t>},
    {"DequantizePerChannelU8", DequantizeChannels<uint8_t>},
    {"DequantizePerChannelS8", DequantizeChannels<int8_t>},
    {"RequantizeU8", RequantizeSome<uint8_t>},
    {"RequantizeS8", RequantizeSome<int8_t>},
    {"CopyRequantized", CopyRows},
    {"Add", CombineTwo<Add>},
    {"AddQuantize", AddFloats},
    {"Multiply", CombineTwo<Multiply>},
    {"ClampU8", ClampSome<uint8_t>},
    {"ClampS8", ClampSome<int8_t>},
    {"LookUp", LookUpSome},
    {"MinMax", FindRange},
    {"AverageRows", AverageSome},
    {"ScaleChannels", ScaleSome},
};

class RandomElementwiseTest : public testing::TestWithParam<Kernel> {};

INSTANTIATE_TEST_SUITE_P(Kernels, RandomElementwiseTest,
                         testing::ValuesIn(kKernels), [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST_P(RandomElementwiseTest, GivesTheBytesOfTheReferenceInAllIsas) {
  const auto call = [](int64_t seed) {
    Random random(seed);
    return GetParam().call(random);
  };
  const std::vector<Isa> isas = SupportedIsas();
  const int64_t shapes = RandomShapes();
  for (int64_t seed = 0; seed < shapes && !HasFailure(); ++seed) {
    const Bytes expected = InScalar([&] { return call(seed); });
    for (const Isa isa : isas) {
      const ScopedIsa scoped(isa);
      ASSERT_EQ(call(seed), expected) << IsaName(isa) << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ns::kernels
