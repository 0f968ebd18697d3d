#include "passes/runtime/observers/tensor_qparams.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {
namespace {

// observers_reference_test holds the figures to PyTorch's.

ObserverConfig PerChannel(int64_t axis) {
  ObserverConfig config = DefaultConfig(ObserverKind::kPerChannelMinMax);
  config.ch_axis = axis;
  return config;
}

TEST(QParamsOfTest, RangesWithoutValuesHaveScaleOne) {
  const TensorQParams none =
      QParamsOf({Interval()}, DefaultConfig(ObserverKind::kMinMax));
  EXPECT_EQ(none.scale.item<float>(), 1);
  EXPECT_EQ(none.zero_point.item<int64_t>(), 0);
  const TensorQParams one =
      QParamsOf({Interval(), Interval{-1, 2}}, PerChannel(0));
  EXPECT_EQ(one.scale[0].item<float>(), 1);
  EXPECT_FLOAT_EQ(one.scale[1].item<float>(), 3.0F / 255);
}

TEST(QParamsOfTest, HeadroomWidensRanges) {
  ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  config.headroom = 1.5;
  const TensorQParams wide = QParamsOf({Interval{-1, 2}}, config);
  EXPECT_FLOAT_EQ(wide.scale.item<float>(), 4.5F / 255);
  EXPECT_EQ(wide.zero_point.item<int64_t>(), 85);
  config = PerChannel(0);
  config.qscheme = at::kPerChannelAffineFloatQParams;
  config.headroom = 2;
  EXPECT_FLOAT_EQ(QParamsOf({Interval{-1, 2}}, config).scale.item<float>(),
                  6.0F / 255);
}

TEST(QParamsOfTest, HeadroomStaysFinite) {
  ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  config.headroom = 4;
  const TensorQParams wide = QParamsOf({Interval{0, 3e38F}}, config);
  EXPECT_FLOAT_EQ(wide.scale.item<float>(),
                  std::numeric_limits<float>::max() / 255);
}

TEST(QParamsOfTest, HeadroomLeavesRangesWithoutValuesEmpty) {
  ObserverConfig config = PerChannel(0);
  config.headroom = 2;
  const TensorQParams wide = QParamsOf({Interval(), Interval{-1, 2}}, config);
  EXPECT_EQ(wide.scale[0].item<float>(), 1);
  EXPECT_FLOAT_EQ(wide.scale[1].item<float>(), 6.0F / 255);
}

TEST(QParamsOfTest, DtypesAreThoseOfPyTorch) {
  ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  EXPECT_EQ(QParamsOf({Interval{-1, 2}}, config).zero_point.scalar_type(),
            at::kInt);
  config.qscheme = at::kPerTensorSymmetric;
  EXPECT_EQ(QParamsOf({Interval{-1, 2}}, config).zero_point.scalar_type(),
            at::kLong);
  config = PerChannel(0);
  config.qscheme = at::kPerChannelAffineFloatQParams;
  EXPECT_EQ(QParamsOf({Interval{-1, 2}}, config).zero_point.scalar_type(),
            at::kFloat);
}

TEST(FakeQuantizedTest, IsWhatQuantizingAndDequantizingGives) {
  const at::Tensor x = at::linspace(-2, 3, 101);
  const ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  const TensorQParams qparams = QParamsOf({Interval{-1, 2}}, config);
  EXPECT_TRUE(FakeQuantized(x, qparams, config)
                  .equal(at::quantize_per_tensor(
                             x, qparams.scale.item<double>(),
                             qparams.zero_point.item<int64_t>(), at::kQUInt8)
                             .dequantize()));
}

TEST(FakeQuantizedTest, ChannelsCountFromBehindToo) {
  const at::Tensor x =
      at::stack({at::linspace(-1, 2, 9), at::linspace(-100, 200, 9)});
  const std::vector<Interval> ranges = {{-1, 2}, {-100, 200}};
  const at::Tensor y =
      FakeQuantized(x, QParamsOf(ranges, PerChannel(0)), PerChannel(0));
  EXPECT_TRUE(y.allclose(x, 0.01, 0.4));
  EXPECT_TRUE(
      FakeQuantized(x, QParamsOf(ranges, PerChannel(-2)), PerChannel(-2))
          .equal(y));
}

TEST(FakeQuantizedTest, SymmetricChannelsAreTaken) {
  ObserverConfig config = PerChannel(0);
  config.dtype = at::kQInt8;
  config.qscheme = at::kPerChannelSymmetric;
  const at::Tensor x = at::linspace(-1, 1, 8).reshape({2, 4});
  const std::vector<Interval> ranges = {{-1, -0.1F}, {0.1F, 1}};
  EXPECT_TRUE(FakeQuantized(x, QParamsOf(ranges, config), config)
                  .allclose(x, 0, 0.005));
}

TEST(FakeQuantizedTest, OtherNumbersOfChannelsThrow) {
  const std::vector<Interval> ranges = {{-1, 2}, {-100, 200}};
  EXPECT_THROW(FakeQuantized(at::zeros({3, 4}),
                             QParamsOf(ranges, PerChannel(0)), PerChannel(0)),
               c10::Error);
}

}  // namespace
}  // namespace ns
