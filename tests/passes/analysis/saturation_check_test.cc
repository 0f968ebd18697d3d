#include "passes/analysis/saturation_check.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/fbgemm_ops/fbgemm_layer.h"
#include "tests/testing/ir.h"
#include "tests/testing/paired.h"
#include "tests/testing/small_layers.h"

namespace ns {
namespace {

using kernels::SaturationMode;

// The signs of random weights are the same in every run: of few weights, no two
// neighbours may have the same sign.
TEST(SaturationCheckTest, TellsChannelsAndTheWorstPairOfALinearLayer) {
  const FbgemmLayer layer(
      LinearLayer(Int8({3, 4}, {127, 127, 0, 0, 127, 1, 0, 127, 1, 1, 1, 1})));
  const SaturationCheck check =
      CheckSaturation(layer, SaturationMode::kFbgemmAvx2);
  EXPECT_TRUE(check.IsPossible());
  EXPECT_EQ(check.channels, 3);
  EXPECT_EQ(check.saturating_channels, 1);
  EXPECT_EQ(check.worst_pair_sum, 255 * 254);
}

TEST(SaturationCheckTest, NothingSaturatesInNumericsThatAreExact) {
  const FbgemmLayer layer(LinearLayer(Int8({1, 2}, {127, 127})));
  for (const SaturationMode numerics :
       {SaturationMode::kExact, SaturationMode::kFbgemmVnni}) {
    const SaturationCheck check = CheckSaturation(layer, numerics);
    EXPECT_FALSE(check.IsPossible());
    EXPECT_EQ(check.worst_pair_sum, 255 * 254);
  }
}

TEST(SaturationCheckTest, DepthwiseLayersSaturateWithVnniToo) {
  const FbgemmLayer layer(ConvLayer(RandomInt8({8, 1, 3, 3}, 127), 8, 1));
  EXPECT_TRUE(CheckSaturation(layer, SaturationMode::kFbgemmVnni).IsPossible());
  EXPECT_FALSE(CheckSaturation(layer, SaturationMode::kExact).IsPossible());
}

TEST(SaturationCheckTest, WeightsOfReducedRangeNeverSaturate) {
  const FbgemmLayer layer(ConvLayer(RandomInt8({8, 5, 3, 3}, 63)));
  EXPECT_FALSE(
      CheckSaturation(layer, SaturationMode::kFbgemmAvx2).IsPossible());
}

// The channels of a pixel are neighbours, not its weights in memory.
TEST(SaturationCheckTest, PairsRunOverChannelsOfAPosition) {
  const FbgemmLayer layer(ConvLayer(Int8({1, 2, 1, 2}, {127, 0, 0, 127})));
  EXPECT_FALSE(
      CheckSaturation(layer, SaturationMode::kFbgemmAvx2).IsPossible());
  const FbgemmLayer other(ConvLayer(Int8({1, 2, 1, 2}, {127, 0, 127, 0})));
  EXPECT_TRUE(CheckSaturation(other, SaturationMode::kFbgemmAvx2).IsPossible());
}

TEST(SaturationCheckTest, FindsTheLayersOfAGraphInOrder) {
  const ModelGraph model = ModelOfSource(
      "def forward(self, x: Tensor, c: bool) -> Tensor:\n"
      "    x = ops.ns.fbgemm_linear(x, self.high, 0.5, 3)\n"
      "    if c:\n"
      "        x = ops.ns.fbgemm_linear_relu(x, self.low, 0.5, 3)\n"
      "    return x\n",
      {{"high", LinearLayer(RandomInt8({4, 4}, 127))},
       {"low", LinearLayer(RandomInt8({4, 4}, 3))}});
  const std::vector<CheckedNode> checked = CheckSaturation(model.graph());
  ASSERT_EQ(checked.size(), 2);
  EXPECT_EQ(checked[0].node, NodeOf(model.graph(), "ns::fbgemm_linear"));
  EXPECT_TRUE(checked[0].check.IsPossible());
  EXPECT_EQ(checked[1].node, NodeOf(model.graph(), "ns::fbgemm_linear_relu"));
  EXPECT_FALSE(checked[1].check.IsPossible());
}

TEST(SaturationCheckTest, DynamicOpsOfReducedRangeNeverSaturate) {
  for (const bool reduces : {false, true}) {
    const ModelGraph model = ModelOfSource(
        "def forward(self, x: Tensor) -> Tensor:\n"
        "    return ops.ns.fbgemm_linear_dynamic(x, self.layer, " +
            std::string(reduces ? "True" : "False") + ")\n",
        {{"layer", LinearLayer(RandomInt8({4, 4}, 127))}});
    const auto checked = CheckSaturation(model.graph());
    ASSERT_EQ(checked.size(), 1);
    EXPECT_EQ(checked[0].check.IsPossible(), !reduces);
  }
}

}  // namespace
}  // namespace ns
