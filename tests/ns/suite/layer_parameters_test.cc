#include "ns/suite/layer_parameters.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/suite/compare_models.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

class LayerParametersTest : public testing::Test {
 protected:
  LayerParametersTest() {
    at::manual_seed(1);
    fc1_ = at::randn({8, 8});
    fc2_ = at::randn({8, 8});
  }

  // Compares the weights of the float model, which is sound, with those of a
  // quantized one with the given weights.
  std::vector<LayerComparison> Compare(const at::Tensor& fc1,
                                       const at::Tensor& fc2) const {
    const std::vector<std::string> body = {
        "return self.fc2.forward(self.fc1.forward(x))"};
    const ModelGraph of_float = OrThrow(ModelGraph::FromModule(
        MakeModel({{"fc1", Linear(fc1_)}, {"fc2", Linear(fc2_)}}, body)));
    const ModelGraph quantized = OrThrow(ModelGraph::FromModule(
        MakeModel({{"quant", Quantize()},
                   {"fc1", QuantizedLinear(fc1, false)},
                   {"fc2", QuantizedLinear(fc2, false)},
                   {"dequant", DeQuantize()}},
                  {"x = self.fc1.forward(self.quant.forward(x))",
                   "return self.dequant.forward(self.fc2.forward(x))"})));
    return OrThrow(
               CompareModels(of_float, quantized, BatchReader::FromBatches({})))
        .layers;
  }

  static std::vector<std::string> WeightsOf(
      const std::vector<LayerComparison>& layers) {
    std::vector<std::string> names;
    for (const LayerComparison& layer : layers) {
      names.push_back(layer.has_weight_of);
    }
    return names;
  }

  at::Tensor fc1_;
  at::Tensor fc2_;
};

TEST_F(LayerParametersTest, SoundLayersHaveTheirOwnWeights) {
  EXPECT_THAT(WeightsOf(Compare(fc1_, fc2_)), ElementsAre("", "", ""));
}

TEST_F(LayerParametersTest, SwappedLayersHaveEachOthersWeights) {
  EXPECT_THAT(WeightsOf(Compare(fc2_, fc1_)), ElementsAre("", "fc2", "fc1"));
}

TEST_F(LayerParametersTest, WrongWeightsNeedNotBeThoseOfAnotherLayer) {
  EXPECT_THAT(WeightsOf(Compare(at::randn({8, 8}), at::randn({8, 8}))),
              ElementsAre("", "", ""));
}

TEST_F(LayerParametersTest, OutputsHaveScaleAndZeroPoint) {
  for (const LayerComparison& layer : Compare(fc1_, fc2_)) {
    ASSERT_TRUE(layer.qparams.has_value()) << layer.name;
    EXPECT_EQ(layer.qparams->scale, 0.05);
    EXPECT_EQ(layer.qparams->zero_point, 64);
  }
}

TEST_F(LayerParametersTest, LayersWithoutABiasHaveNoneToCompare) {
  for (const LayerComparison& layer : Compare(fc1_, fc2_)) {
    EXPECT_FALSE(layer.bias.has_value()) << layer.name;
  }
}

// Compares a float layer of two channels with a quantized one.
std::optional<BiasComparison> CompareBias(const at::Tensor& of_float,
                                          const c10::IValue& of_quantized) {
  const at::Tensor weight = at::ones({2, 4});
  const auto layer = [](const std::string& body, Attributes attributes) {
    return OrThrow(ModelGraph::FromModule(
        MakeModule("Layer", "def forward(self, x: Tensor) -> Tensor:\n" + body,
                   std::move(attributes))));
  };
  const ModelGraph a =
      layer("    return torch.linear(x, self.weight, self.bias)\n",
            {{"weight", weight}, {"bias", of_float}});
  const ModelGraph b = layer(
      "    x = torch.quantize_per_tensor(x, 0.1, 0, 13)\n"
      "    y = ops.quantized.linear(x, self.packed, 0.1, 0)\n"
      "    return torch.dequantize(y)\n",
      {{"packed", CallOp("quantized::linear_prepack",
                         {QuantizeWeight(weight), of_quantized})}});
  const auto result =
      OrThrow(CompareModels(a, b, BatchReader::FromBatches({})));
  return result.layers.back().bias;
}

TEST(BiasTest, DifferencesArePooledOverChannels) {
  const auto bias =
      CompareBias(at::tensor({1.0f, 2.0f}), at::tensor({1.0f, 4.0f}));
  ASSERT_TRUE(bias.has_value());
  EXPECT_EQ(bias->mean_squared_error, 2);
  EXPECT_FALSE(bias->is_missing);
}

TEST(BiasTest, AMissingBiasCountsAsZeros) {
  for (const c10::IValue& missing :
       {c10::IValue(), c10::IValue(at::zeros({2}))}) {
    const auto bias = CompareBias(at::tensor({1.0f, 3.0f}), missing);
    ASSERT_TRUE(bias.has_value());
    EXPECT_EQ(bias->mean_squared_error, 5);
    EXPECT_TRUE(bias->is_missing);
  }
}

}  // namespace
}  // namespace ns
