#include "ns/quantization/report/layer_bits.h"

#include <optional>

#include "gtest/gtest.h"

namespace ns {
namespace {

LayerQuantization Conv() {
  LayerQuantization layer;
  layer.qconfig = "static 0..127 mse, int7 weight per channel";
  layer.output = ValueQuantization();
  layer.output->scale = 0.5;
  layer.output->min = -10;
  layer.output->max = 53.5;  // 127 steps.
  layer.weight = WeightQuantization();
  return layer;
}

TEST(LayerBitsTest, StepsOfTheOutputGiveTheBits) {
  LayerQuantization layer = Conv();
  EXPECT_EQ(ActivationBits(layer), 7);
  layer.output->max = 117.5;  // 255 steps.
  EXPECT_EQ(ActivationBits(layer), 8);
}

TEST(LayerBitsTest, InputsStandInForAFloatOutput) {
  LayerQuantization layer = Conv();
  layer.inputs = {*layer.output};
  layer.output = std::nullopt;
  EXPECT_EQ(ActivationBits(layer), 7);
  layer.inputs.clear();
  EXPECT_EQ(ActivationBits(layer), std::nullopt);
}

TEST(LayerBitsTest, QConfigsNameTheBitsOfWeights) {
  LayerQuantization layer = Conv();
  EXPECT_EQ(WeightBits(layer), 7);
  layer.qconfig = "dynamic, int8 weight per tensor";
  EXPECT_EQ(WeightBits(layer), 8);
  layer.qconfig = "my own";
  EXPECT_EQ(WeightBits(layer), std::nullopt);
  layer = Conv();
  layer.weight = std::nullopt;
  EXPECT_EQ(WeightBits(layer), std::nullopt);
}

}  // namespace
}  // namespace ns
