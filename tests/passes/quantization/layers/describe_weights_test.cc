#include "passes/quantization/layers/describe_weights.h"

#include <ATen/Functions.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

TEST(DescribeWeightsTest, HasTheScaleOfEachWeight) {
  const auto weight = [](double scale) {
    return at::quantize_per_tensor(at::ones({2, 2}), scale, 0, at::kQInt8);
  };
  const WeightQuantization described =
      DescribeWeights({weight(0.5), weight(0.25)}, at::kPerTensorSymmetric);
  EXPECT_EQ(described.scheme, "per_tensor_symmetric");
  EXPECT_THAT(described.scales, ElementsAre(0.5, 0.25));
}

TEST(DescribeWeightsTest, HasTheScaleOfEachChannel) {
  const at::Tensor weight =
      at::quantize_per_channel(at::ones({2, 2}), at::tensor({0.5, 0.25}),
                               at::zeros({2}, at::kLong), 0, at::kQInt8);
  EXPECT_THAT(DescribeWeights({weight}, at::kPerChannelAffine).scales,
              ElementsAre(0.5, 0.25));
}

}  // namespace
}  // namespace ns
