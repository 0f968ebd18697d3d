#include "ns/quantization/accurate/weighted_layers.h"

#include <ATen/Functions.h>

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/runtime/observers/observer_options.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;

// A sum, and a convolution behind it.
std::map<int64_t, WeightedLayer> Find(const QConfig& qconfig,
                                      QuantizationTarget target) {
  const ModelGraph prepared = OrThrow(
      PrepareModel(FloatModel({"return torch.conv2d(x + x, self.w2, self.b)"}),
                   Everywhere(qconfig)));
  ConversionCache cache;
  return OrThrow(FindWeightedLayers(prepared, target, cache));
}

TEST(WeightedLayersTest, HaveTheirWeightAndItsBits) {
  const auto layers =
      Find(Int8PerTensorQConfig(), QuantizationTarget::kFbgemmAvx2);
  ASSERT_THAT(layers, ElementsAre(Key(1)));
  const WeightedLayer& layer = layers.at(1);
  EXPECT_THAT(layer.weight.sizes(), ElementsAre(3, 3, 3, 3));
  EXPECT_EQ(layer.present, layer.full);
  EXPECT_EQ(layer.narrow.quant_min, -64);
  EXPECT_EQ(layer.narrow.quant_max, 64);
  EXPECT_TRUE(layer.can_saturate);
}

TEST(WeightedLayersTest, OfSevenBitsHaveEightAsWell) {
  QConfig narrow = Int8PerTensorQConfig();
  narrow.weight.config = NarrowWeights(narrow.weight.config);
  const WeightedLayer layer =
      Find(narrow, QuantizationTarget::kFbgemmAvx2).at(1);
  EXPECT_EQ(layer.present, layer.narrow);
  EXPECT_EQ(layer.full.quant_min, -127);
  EXPECT_EQ(layer.full.quant_max, 127);
}

TEST(WeightedLayersTest, TheTargetSaysWhetherSumsSaturate) {
  for (const auto target :
       {QuantizationTarget::kExact, QuantizationTarget::kFbgemmVnni}) {
    EXPECT_FALSE(Find(Int8PerTensorQConfig(), target).at(1).can_saturate);
  }
}

TEST(WeightedLayersTest, OtherModelsHaveNone) {
  ConversionCache cache;
  EXPECT_FALSE(FindWeightedLayers(FloatModel({"return x"}),
                                  QuantizationTarget::kExact, cache)
                   .ok());
  EXPECT_THAT(OrThrow(FindWeightedLayers(
                  OrThrow(PrepareModel(FloatModel({"return x + x"}),
                                       Everywhere(Int8PerTensorQConfig()))),
                  QuantizationTarget::kExact, cache)),
              IsEmpty());
}

}  // namespace
}  // namespace ns
