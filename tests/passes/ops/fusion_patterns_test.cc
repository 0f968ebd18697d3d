#include "passes/ops/fusion_patterns.h"

#include "gtest/gtest.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

TEST(FusesWithTest, LayersTakeBatchNormThenActivation) {
  for (const char* base :
       {"conv1d", "conv2d", "conv3d", "conv_transpose2d", "linear"}) {
    EXPECT_TRUE(FusesWith(base, base, "batch_norm")) << base;
    EXPECT_TRUE(FusesWith(base, "batch_norm", "relu")) << base;
    EXPECT_TRUE(FusesWith(base, base, "relu")) << base;
    EXPECT_TRUE(FusesWith(base, base, "hardswish")) << base;
  }
}

TEST(FusesWithTest, NothingFollowsAnActivation) {
  EXPECT_FALSE(FusesWith("conv2d", "relu", "relu"));
  EXPECT_FALSE(FusesWith("conv2d", "relu", "batch_norm"));
}

TEST(FusesWithTest, LayersTakeOneBatchNorm) {
  EXPECT_FALSE(FusesWith("conv2d", "batch_norm", "batch_norm"));
}

TEST(FusesWithTest, OpsWithoutWeightsTakeReluOnly) {
  for (const char* base : {"add", "mul", "cat", "matmul", "batch_norm"}) {
    EXPECT_TRUE(FusesWith(base, base, "relu")) << base;
    EXPECT_FALSE(FusesWith(base, base, "hardtanh")) << base;
    EXPECT_FALSE(FusesWith(base, base, "batch_norm")) << base;
  }
}

TEST(FusesWithTest, OtherOpsTakeNothing) {
  EXPECT_FALSE(FusesWith("softmax", "softmax", "relu"));
  EXPECT_FALSE(FusesWith("max_pool2d", "max_pool2d", "relu"));
  EXPECT_FALSE(FusesWith("relu", "relu", "relu"));
}

TEST(FusesWithTest, LayersDoNotTakeLayers) {
  EXPECT_FALSE(FusesWith("conv2d", "conv2d", "conv2d"));
  EXPECT_FALSE(FusesWith("conv2d", "conv2d", "add"));
}

TEST(IsActivationTest, HoldsForElementwiseOps) {
  for (const char* family : {"relu", "hardtanh", "hardswish", "sigmoid", "elu",
                             "leaky_relu", "tanh", "silu"}) {
    EXPECT_TRUE(IsActivation(family)) << family;
  }
}

TEST(IsActivationTest, FailsForOthers) {
  for (const char* family : {"softmax", "add", "conv2d", "batch_norm", "",
                             "aten::relu", "dropout"}) {
    EXPECT_FALSE(IsActivation(family)) << family;
  }
}

TEST(IsActivationTest, HoldsForEveryActivationThatAnOpFuses) {
  for (const OpRow& row : OpTable()) {
    EXPECT_TRUE(row.fused_activation.empty() ||
                IsActivation(row.fused_activation))
        << row.op;
  }
}

}  // namespace
}  // namespace ns
