#include "tools/bench/kernels/layer_lists.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns::bench {
namespace {

int64_t Count(const std::vector<Layer>& layers) {
  int64_t count = 0;
  for (const Layer& layer : layers) {
    count += layer.count;
  }
  return count;
}

int64_t Weights(const std::vector<Layer>& layers) {
  int64_t weights = 0;
  for (const Layer& layer : layers) {
    weights += layer.count * WeightBytes(layer);
  }
  return weights;
}

// Of all layers: multiplications.
int64_t Products(const std::vector<Layer>& layers) {
  int64_t products = 0;
  for (const Layer& layer : layers) {
    products += layer.count * static_cast<int64_t>(Operations(layer)) / 2;
  }
  return products;
}

// torchvision says 25,557,032 parameters and 4.09 GFLOPS. Of the parameters,
// 53,120 are of batch norms and 1,000 the last bias.
TEST(LayerListsTest, ResNet50HasTheWeightsAndProductsOfTorchvisions) {
  const std::vector<Layer> layers = ResNet50(1);
  EXPECT_EQ(Count(layers), 54);
  EXPECT_EQ(Weights(layers), 25557032 - 53120 - 1000);
  EXPECT_EQ(Products(layers), 4089184256);
}

// 3,504,872 parameters, of which 34,112 of batch norms, and 0.30 GFLOPS.
TEST(LayerListsTest, MobileNetV2HasTheWeightsAndProductsOfTorchvisions) {
  const std::vector<Layer> layers = MobileNetV2(1);
  EXPECT_EQ(Count(layers), 53);
  EXPECT_EQ(Weights(layers), 3504872 - 34112 - 1000);
  EXPECT_EQ(Products(layers), 300774272);
}

TEST(LayerListsTest, BertBaseHasTwelveLayersOfSixMatrices) {
  const std::vector<Layer> layers = BertBase(1);
  EXPECT_EQ(Count(layers), 72);
  EXPECT_EQ(Weights(layers), 12 * (4 * 768 * 768 + 2 * 768 * 3072));
  EXPECT_EQ(Products(layers), 128 * Weights(layers));
}

TEST(LayerListsTest, BatchesMultiplyProductsAndNotWeights) {
  for (const auto& list : {ResNet50, MobileNetV2, BertBase}) {
    EXPECT_EQ(Weights(list(8)), Weights(list(1)));
    EXPECT_EQ(Products(list(8)), 8 * Products(list(1)));
  }
}

TEST(LayerListsTest, LayersOfAListAreDifferent) {
  for (const auto& list : {ResNet50, MobileNetV2, BertBase}) {
    std::set<std::pair<std::string, bool>> names;
    for (const Layer& layer : list(1)) {
      EXPECT_GT(Operations(layer), 0) << layer.name;
      EXPECT_TRUE(names.emplace(layer.name, layer.relu).second) << layer.name;
    }
  }
}

TEST(LayerListsTest, ShapesOfAKindAreOfThatKind) {
  for (const LayerKind kind :
       {LayerKind::kLinear, LayerKind::kConv, LayerKind::kFewOutputs,
        LayerKind::kDepthwise, LayerKind::kGrouped}) {
    EXPECT_FALSE(ShapesOf(kind).empty());
    for (const Layer& layer : ShapesOf(kind)) {
      EXPECT_EQ(KindOf(layer), kind) << layer.name;
    }
  }
}

TEST(LayerTest, NamesSayTheShape) {
  EXPECT_EQ(Linear(8, 768, 3072).name, "8,768,3072");
  EXPECT_EQ(Conv2d(1, 7, 2, 3, 64, 224).name, "7x7 s2 3-64 @224");
  EXPECT_EQ(Conv2d(1, 1, 1, 64, 256, 56).name, "1x1 64-256 @56");
  EXPECT_EQ(Conv2d(1, 3, 1, 128, 128, 56, 32).name, "3x3 g32 128-128 @56");
  EXPECT_EQ(Conv2d(1, 3, 2, 192, 192, 56, 192).name,
            "depthwise 3x3 s2 192 @56");
  EXPECT_EQ(Conv1d(1, 602, 0, 1, 1, 16000).name, "602 1-1 @16000");
  EXPECT_EQ(Conv1d(51, 602, 383, 2, 3, 219).name, "602 p383 2-3 @219 x51");
}

TEST(LayerTest, CountsBytesAndOperations) {
  const Layer layer = Conv2d(2, 3, 2, 8, 16, 10, 2);
  EXPECT_EQ(OutputRows(layer), 2 * 5 * 5);
  EXPECT_EQ(ProductsOf(layer), 4 * 9);
  EXPECT_EQ(InputBytes(layer), 2 * 10 * 10 * 8);
  EXPECT_EQ(OutputBytes(layer), 2 * 5 * 5 * 16);
  EXPECT_EQ(WeightBytes(layer), 16 * 4 * 9);
  EXPECT_EQ(Operations(layer), 2.0 * 50 * 16 * 36);
}

}  // namespace
}  // namespace ns::bench
