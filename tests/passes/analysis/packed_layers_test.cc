#include "passes/analysis/packed_layers.h"

#include <ATen/Functions.h>

#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

using PackedLayersTest = EngineTest;

// qnnpack packs zeros where there is no bias.
void ExpectNoBias(const at::Tensor& bias) {
  EXPECT_TRUE(!bias.defined() || !bias.any().item<bool>());
}

TEST_P(PackedLayersTest, LinearHasItsWeightDequantized) {
  const at::Tensor weight = QuantizeWeight(at::randn({4, 8}));
  const at::Tensor bias = at::randn({4});
  const LinearLayer layer = OrThrow(
      UnpackLinear(CallOp("quantized::linear_prepack", {weight, bias})));
  EXPECT_TRUE(layer.weight.equal(weight.dequantize()));
  EXPECT_TRUE(layer.bias.equal(bias));
}

TEST_P(PackedLayersTest, ParametersThatAreTrainedNeedNoGradients) {
  const at::Tensor bias = at::randn({4}).requires_grad_();
  EXPECT_FALSE(
      OrThrow(UnpackLinear(CallOp("quantized::linear_prepack",
                                  {QuantizeWeight(at::randn({4, 8})), bias})))
          .bias.requires_grad());
  EXPECT_FALSE(
      OrThrow(
          UnpackConv(CallOp("quantized::conv2d_prepack",
                            {QuantizeWeight(at::randn({4, 3, 3, 3})), bias,
                             Ints{1, 1}, Ints{0, 0}, Ints{1, 1}, int64_t{1}}),
                     /*is_1d=*/false))
          .bias.requires_grad());
}

TEST_P(PackedLayersTest, LinearNeedsNoBias) {
  const LinearLayer layer = OrThrow(
      UnpackLinear(CallOp("quantized::linear_prepack",
                          {QuantizeWeight(at::randn({4, 8})), c10::IValue()})));
  ExpectNoBias(layer.bias);
}

TEST_P(PackedLayersTest, WeightsPerChannelAreDequantized) {
  const at::Tensor weight =
      at::quantize_per_channel(at::randn({2, 3}), at::tensor({0.01, 0.03}),
                               at::zeros({2}, at::kLong), 0, at::kQInt8);
  const LinearLayer layer = OrThrow(UnpackLinear(
      CallOp("quantized::linear_prepack", {weight, c10::IValue()})));
  EXPECT_TRUE(layer.weight.equal(weight.dequantize()));
}

TEST_P(PackedLayersTest, ConvHasItsGeometry) {
  const at::Tensor weight = QuantizeWeight(at::randn({4, 3, 3, 5}));
  const at::Tensor bias = at::randn({4});
  const ConvLayer layer = OrThrow(UnpackConv(
      CallOp("quantized::conv2d_prepack",
             {weight, bias, Ints{1, 2}, Ints{3, 4}, Ints{5, 6}, int64_t{1}}),
      /*is_1d=*/false));
  EXPECT_TRUE(layer.weight.equal(weight.dequantize()));
  EXPECT_TRUE(layer.bias.equal(bias));
  EXPECT_THAT(layer.stride, ElementsAre(1, 2));
  EXPECT_THAT(layer.padding, ElementsAre(3, 4));
  EXPECT_THAT(layer.dilation, ElementsAre(5, 6));
  EXPECT_EQ(layer.groups, 1);
}

TEST_P(PackedLayersTest, Conv1dHasOneDimension) {
  const at::Tensor weight = QuantizeWeight(at::randn({4, 2, 3}));
  const ConvLayer layer = OrThrow(UnpackConv(
      CallOp("quantized::conv1d_prepack",
             {weight, c10::IValue(), Ints{2}, Ints{3}, Ints{4}, int64_t{2}}),
      /*is_1d=*/true));
  EXPECT_TRUE(layer.weight.equal(weight.dequantize()));
  ExpectNoBias(layer.bias);
  EXPECT_THAT(layer.stride, ElementsAre(2));
  EXPECT_THAT(layer.padding, ElementsAre(3));
  EXPECT_THAT(layer.dilation, ElementsAre(4));
  EXPECT_EQ(layer.groups, 2);
}

TEST_P(PackedLayersTest, TransposedConvKeepsItsLayoutAndOutputPadding) {
  const int64_t output_padding = GetParam() == at::kQNNPACK ? 1 : 0;
  const at::Tensor weight = QuantizeWeight(at::randn({4, 2, 3}));
  const ConvLayer layer =
      OrThrow(UnpackConv(CallOp("quantized::conv_transpose1d_prepack",
                                {weight, c10::IValue(), Ints{2}, Ints{1},
                                 Ints{output_padding}, Ints{1}, int64_t{1}}),
                         /*is_1d=*/true));
  EXPECT_TRUE(layer.weight.equal(weight.dequantize()));
  EXPECT_THAT(layer.output_padding, ElementsAre(output_padding));
}

TEST_P(PackedLayersTest, ObjectsOfAnotherClassAreAnError) {
  const c10::IValue linear =
      CallOp("quantized::linear_prepack",
             {QuantizeWeight(at::randn({4, 8})), c10::IValue()});
  EXPECT_EQ(UnpackConv(linear, /*is_1d=*/false).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(UnpackLinear(c10::IValue(1)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

NS_INSTANTIATE_ON_ENGINES(PackedLayersTest);

TEST(PackedLayersOfOnednnTest, Conv3dHasThreeDimensions) {
  at::globalContext().setQEngine(at::kONEDNN);
  const at::Tensor weight = QuantizeWeight(at::randn({4, 3, 3, 3, 3}));
  const ConvLayer layer =
      OrThrow(UnpackConv(CallOp("quantized::conv3d_prepack",
                                {weight, c10::IValue(), Ints{1, 2, 3},
                                 Ints{1, 1, 1}, Ints{1, 1, 1}, int64_t{1}}),
                         /*is_1d=*/false));
  EXPECT_TRUE(layer.weight.equal(weight.dequantize()));
  EXPECT_THAT(layer.stride, ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace ns
