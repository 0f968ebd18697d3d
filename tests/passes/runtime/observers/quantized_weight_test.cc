#include "passes/runtime/observers/quantized_weight.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

ObserverConfig PerTensor(at::QScheme qscheme = at::kPerTensorSymmetric,
                         std::pair<int64_t, int64_t> bounds = {-127, 127}) {
  ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  config.dtype = at::kQInt8;
  config.qscheme = qscheme;
  config.quant_min = bounds.first;
  config.quant_max = bounds.second;
  return config;
}

ObserverConfig PerChannel(int64_t axis = 0) {
  ObserverConfig config = DefaultConfig(ObserverKind::kPerChannelMinMax);
  config.dtype = at::kQInt8;
  config.qscheme = at::kPerChannelSymmetric;
  config.ch_axis = axis;
  return config;
}

std::string ErrorOf(const at::Tensor& weight, const ObserverConfig& config) {
  try {
    QuantizedWeight(weight, config);
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "no error";
}

TEST(QuantizedWeightTest, HasOneScale) {
  const at::Tensor weight = at::tensor({-1.27F, 0.0F, 0.635F, 1.0F});
  const at::Tensor q = QuantizedWeight(weight, PerTensor());
  EXPECT_EQ(q.qscheme(), at::kPerTensorAffine);
  EXPECT_EQ(q.scalar_type(), at::kQInt8);
  EXPECT_FLOAT_EQ(q.q_scale(), 0.01);
  EXPECT_EQ(q.q_zero_point(), 0);
  EXPECT_TRUE(q.int_repr().equal(
      at::tensor({-127, 0, 64, 100}, at::kInt).to(at::kChar)));
}

// Symmetric scales leave half a step beyond the largest integer.
TEST(QuantizedWeightTest, IntegersStayWithinTheBounds) {
  for (const std::pair<int64_t, int64_t>& bounds :
       {std::pair<int64_t, int64_t>{-8, 7}, {-64, 63}, {-128, 127}}) {
    const float largest = 0.1F * (static_cast<float>(bounds.second) + 0.5F);
    const at::Tensor q =
        QuantizedWeight(at::tensor({-largest, largest, 0.5F}),
                        PerTensor(at::kPerTensorSymmetric, bounds));
    EXPECT_TRUE(q.int_repr().equal(
        at::tensor({bounds.first, bounds.second, int64_t{5}}).to(at::kChar)))
        << q;
  }
}

TEST(QuantizedWeightTest, UnsignedWeightsHaveAZeroPoint) {
  ObserverConfig config = PerTensor(at::kPerTensorAffine, {0, 15});
  config.dtype = at::kQUInt8;
  const at::Tensor weight = at::tensor({-1.0F, 2.0F, 0.0F});
  const at::Tensor q = QuantizedWeight(weight, config);
  EXPECT_EQ(q.scalar_type(), at::kQUInt8);
  EXPECT_EQ(q.q_zero_point(), 5);
  EXPECT_TRUE(
      q.int_repr().equal(at::tensor({0, 15, 5}, at::kInt).to(at::kByte)));
}

TEST(QuantizedWeightTest, ChannelsHaveScalesOfTheirOwn) {
  const at::Tensor weight =
      at::tensor({127.0F, -63.5F, 0.0F, 0.0F, 2.54F, -1.27F}).reshape({3, 2});
  const at::Tensor q = QuantizedWeight(weight, PerChannel());
  EXPECT_EQ(q.qscheme(), at::kPerChannelAffine);
  EXPECT_EQ(q.q_per_channel_axis(), 0);
  EXPECT_EQ(q.q_per_channel_scales().scalar_type(), at::kDouble);
  EXPECT_TRUE(q.q_per_channel_zero_points().equal(at::zeros({3}, at::kLong)));
  // A channel of zeros has the smallest scale, eps.
  EXPECT_EQ(q.q_per_channel_scales()[1].item<double>(), 0x1p-23);
  EXPECT_TRUE(q.dequantize().allclose(weight, 0, 0.51));
}

// Axes are counted from behind, too; each slice is what it is alone.
TEST(QuantizedWeightTest, AnyAxisMayBeThatOfChannels) {
  const at::Tensor weight = at::randn({3, 4, 2});
  for (const int64_t axis : {1, -2}) {
    const at::Tensor q = QuantizedWeight(weight, PerChannel(axis));
    EXPECT_EQ(q.q_per_channel_axis(), 1);
    for (int64_t i = 0; i < 4; ++i) {
      ObserverConfig alone = PerTensor();
      alone.quant_min = alone.quant_max = std::nullopt;
      EXPECT_TRUE(q.select(1, i).int_repr().equal(
          QuantizedWeight(weight.select(1, i), alone).int_repr()));
    }
  }
}

TEST(QuantizedWeightTest, EmbeddingsHaveFloatZeroPoints) {
  ObserverConfig config = PerChannel();
  config.dtype = at::kQUInt8;
  config.qscheme = at::kPerChannelAffineFloatQParams;
  const at::Tensor q = QuantizedWeight(at::rand({4, 8}) + 3, config);
  EXPECT_EQ(q.qscheme(), at::kPerChannelAffineFloatQParams);
  EXPECT_EQ(q.q_per_channel_zero_points().scalar_type(), at::kFloat);
}

TEST(QuantizedWeightTest, WeightsOfOtherFloatsAreRounded) {
  const at::Tensor weight = at::randn({4, 3});
  EXPECT_TRUE(QuantizedWeight(weight.to(at::kDouble), PerTensor())
                  .equal(QuantizedWeight(weight, PerTensor())));
  const at::Tensor half = weight.to(at::kHalf);
  EXPECT_TRUE(QuantizedWeight(half, PerTensor())
                  .equal(QuantizedWeight(half.to(at::kFloat), PerTensor())));
}

TEST(QuantizedWeightTest, GradientsAndMemoryDoNotMatter) {
  const at::Tensor weight = at::randn({4, 3});
  const at::Tensor q = QuantizedWeight(weight, PerTensor());
  EXPECT_TRUE(
      QuantizedWeight(weight.clone().set_requires_grad(true), PerTensor())
          .equal(q));
  EXPECT_TRUE(QuantizedWeight(weight.t().contiguous().t(), PerTensor())
                  .int_repr()
                  .equal(q.int_repr()));
}

TEST(QuantizedWeightTest, WhatHasNoParametersIsRefused) {
  EXPECT_EQ(ErrorOf(at::ones({2}), DefaultConfig(ObserverKind::kRecording)),
            "observer 'recording' has no scale and zero point");
  ObserverConfig config = PerTensor();
  config.quant_max = std::nullopt;
  EXPECT_NE(ErrorOf(at::ones({2}), config), "no error");
}

TEST(QuantizedWeightTest, NanAndInfinityAreRefused) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {kNan, kInf, -kInf}) {
    at::Tensor weight = at::ones({2, 2});
    weight[0][1] = value;
    for (const ObserverConfig& config : {PerTensor(), PerChannel()}) {
      EXPECT_EQ(ErrorOf(weight, config), "it holds nan or infinite values");
    }
  }
}

TEST(QuantizedWeightTest, ValuesBeyondFloat32AreRefused) {
  at::Tensor weight = at::ones({2, 2}, at::kDouble);
  weight[0][1] = -1e39;
  for (const ObserverConfig& config : {PerTensor(), PerChannel()}) {
    EXPECT_EQ(ErrorOf(weight, config),
              "it holds values beyond the range of float32");
  }
  weight[1][0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ErrorOf(weight, PerTensor()), "it holds nan or infinite values");
}

TEST(ObservedWeightTest, ReturnsTheWeightItself) {
  const at::Tensor weight = at::rand({3});
  std::vector<c10::IValue> stack = {weight, int64_t{4}};
  c10::Dispatcher::singleton()
      .findSchemaOrThrow("ns::observed_weight", "")
      .callBoxed(&stack);
  EXPECT_TRUE(stack[0].toTensor().is_alias_of(weight));
  EXPECT_TRUE(stack[0].toTensor().equal(weight));
}

}  // namespace
}  // namespace ns
