#include "passes/quantization/layers/keep_list.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

FloatSubgraph Layer() {
  FloatSubgraph layer;
  layer.name = "layer1.0.conv1@1";
  layer.fqn = "layer1.0.conv1";
  layer.op = "aten::conv2d";
  layer.family = "conv2d";
  layer.module_type = "torch.nn.modules.conv.Conv2d";
  return layer;
}

TEST(KeepListTest, NamesAndTheirGlobsKeep) {
  EXPECT_TRUE(IsKeptBy(Layer(), "layer1.0.conv1@1"));
  EXPECT_TRUE(IsKeptBy(Layer(), "layer1.*"));
  EXPECT_TRUE(IsKeptBy(Layer(), "*"));
  EXPECT_TRUE(IsKeptBy(Layer(), "layer?.0.conv1@*"));
  EXPECT_TRUE(IsKeptBy(Layer(), "layer[12].*conv*"));
}

TEST(KeepListTest, PartsOfANameDoNot) {
  EXPECT_FALSE(IsKeptBy(Layer(), "layer1"));
  EXPECT_FALSE(IsKeptBy(Layer(), "layer1.0.conv1"));
  EXPECT_FALSE(IsKeptBy(Layer(), "conv1@1"));
  EXPECT_FALSE(IsKeptBy(Layer(), "layer2.*"));
  EXPECT_FALSE(IsKeptBy(Layer(), ""));
}

TEST(KeepListTest, OpsAndFamiliesKeep) {
  EXPECT_TRUE(IsKeptBy(Layer(), "aten::conv2d"));
  EXPECT_TRUE(IsKeptBy(Layer(), "conv2d"));
  EXPECT_FALSE(IsKeptBy(Layer(), "aten::conv1d"));
  EXPECT_FALSE(IsKeptBy(Layer(), "conv"));
}

TEST(KeepListTest, TypesOfModulesKeep) {
  EXPECT_TRUE(IsKeptBy(Layer(), "torch.nn.modules.conv.Conv2d"));
  EXPECT_TRUE(IsKeptBy(Layer(), "conv.Conv2d"));
  EXPECT_TRUE(IsKeptBy(Layer(), "Conv2d"));
  EXPECT_FALSE(IsKeptBy(Layer(), "onv2d"));
  EXPECT_FALSE(IsKeptBy(Layer(), "torch.nn.modules.conv"));
}

TEST(KeepListTest, CodeOutsideOfModulesHasNoType) {
  FloatSubgraph add;
  add.name = "add";
  add.op = "aten::add";
  add.family = "add";
  EXPECT_TRUE(IsKeptBy(add, "add"));
  EXPECT_FALSE(IsKeptBy(add, ""));
  EXPECT_FALSE(IsKeptBy(add, "Add"));
}

TEST(KeepListTest, OnlyNamesOfLayersMustBeThere) {
  for (const char* name : {"fc", "layer1.0.conv", "no_such", "x."}) {
    EXPECT_TRUE(IsNameOfLayer(name)) << name;
  }
  for (const char* other : {"layer1.*", "aten::erf", "linear", "softmax",
                            "Linear", "torch.nn.modules.linear.Linear"}) {
    EXPECT_FALSE(IsNameOfLayer(other)) << other;
  }
}

}  // namespace
}  // namespace ns
