#include "ns/repro/shrink_channels.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "ir/model/model_graph.h"
#include "ns/repro/layer_modules.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

class ShrinkChannelsTest : public EngineTest {
 protected:
  ShrinkChannelsTest() { at::manual_seed(13); }

  // The layer "layer" of both models, which takes `input`.
  static LayerModules Layer(const ModelGraph& a, const ModelGraph& b,
                            const at::Tensor& input) {
    const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
    for (const SubgraphMatch& match : matches.matches) {
      if (match.name == "layer") {
        LayerModules layers = OrThrow(ExtractLayer(a, b, match));
        OrThrow(TakePlainInputs({Quantized(input)}, layers));
        return layers;
      }
    }
    throw std::invalid_argument("no layer");
  }

  static at::Tensor Quantized(const at::Tensor& x) {
    return at::quantize_per_tensor(x, 0.05, 64, at::kQUInt8);
  }

  static ModelGraph QuantizedModel(const torch::jit::Module& layer) {
    return ModelOfModule(
        MakeModel({{"quant", Quantize()}, {"layer", layer}},
                  {"return self.layer.forward(self.quant.forward(x))"}));
  }

  static at::Tensor Run(ModelGraph& layer, const at::Tensor& x) {
    const at::Tensor y = OrThrow(layer.Run({x})).toTensor();
    return y.is_quantized() ? y.dequantize() : y;
  }

  // Fails the test unless both sides have the channels 2 and 3 of `layers`.
  static FedLayer ExpectKept(LayerModules& layers, const at::Tensor& input) {
    const LayerChannels channels = ChannelsOf(layers).value();
    const at::Tensor x = Quantized(input).dequantize();
    const IndexRange range{2, 4};
    FedLayer kept = OrThrow(KeepChannels(layers, {x}, channels, range));
    for (const auto& [of_kept, whole] :
         {std::pair(&kept.layers.float_layer, &layers.float_layer),
          std::pair(&kept.layers.quantized_layer, &layers.quantized_layer)}) {
      const at::Tensor expected = Run(*whole, x).narrow(channels.dim, 2, 2);
      EXPECT_TRUE(
          at::allclose(Run(*of_kept, kept.inputs[0]), expected, 1e-4, 0.0501));
    }
    EXPECT_TRUE(at::allclose(
        Run(kept.layers.float_layer, kept.inputs[0]),
        Run(layers.float_layer, x).narrow(channels.dim, 2, 2), 1e-4, 1e-4));
    return kept;
  }
};

// The norm has parameters by channel, too.
TEST_P(ShrinkChannelsTest, ConvolutionsWithNorms) {
  const at::Tensor weight = at::randn({6, 3, 3, 3}) / 5;
  const at::Tensor input = at::randn({2, 3, 7, 7});
  const ModelGraph a = ModelOfModule(
      MakeModel({{"layer", Conv2d(weight)}, {"bn", BatchNorm2d(6)}},
                {"return torch.relu(self.bn.forward(self.layer.forward(x)))"}));
  LayerModules layers =
      Layer(a, QuantizedModel(QuantizedConv2d(weight, true)), input);
  const LayerChannels channels = ChannelsOf(layers).value();
  EXPECT_EQ(channels.dim, 1);
  EXPECT_EQ(channels.count, 6);
  const FedLayer kept = ExpectKept(layers, input);
  EXPECT_EQ(kept.inputs[0].size(1), 3);
}

TEST_P(ShrinkChannelsTest, LinearLayers) {
  const at::Tensor weight = at::randn({6, 5}) / 3;
  const at::Tensor input = at::randn({4, 5});
  LayerModules layers =
      Layer(ModelOfModule(MakeModel({{"layer", Linear(weight)}},
                                    {"return self.layer.forward(x)"})),
            QuantizedModel(QuantizedLinear(weight, false)), input);
  EXPECT_EQ(ChannelsOf(layers)->dim, -1);
  ExpectKept(layers, input);
}

// Each output channel of it takes one input channel.
TEST_P(ShrinkChannelsTest, DepthwiseConvolutions) {
  const at::Tensor weight = at::randn({6, 1, 3, 3}) / 3;
  const at::Tensor input = at::randn({2, 6, 7, 7});
  const std::vector<int64_t> one = {1, 1};
  const std::vector<int64_t> none = {0, 0};
  const auto model = [&](const std::string& call, const c10::IValue& layer) {
    return MakeModule("Depthwise",
                      "def forward(self, x: Tensor) -> Tensor:\n"
                      "    return " +
                          call + "\n",
                      {{"layer", layer}});
  };
  const c10::IValue packed = CallOp(
      "quantized::conv2d_prepack",
      {QuantizeWeight(weight), c10::IValue(), one, none, one, int64_t{6}});
  const ModelGraph a = ModelOfModule(MakeModel(
      {{"layer", model("torch.conv2d(x, self.layer, None, [1, 1], [0, 0], "
                       "[1, 1], 6)",
                       weight)}},
      {"return self.layer.forward(x)"}));
  const ModelGraph b = QuantizedModel(
      model("ops.quantized.conv2d(x, self.layer, 0.05, 64)", packed));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  LayerModules layers = OrThrow(ExtractLayer(a, b, matches.matches.back()));
  OrThrow(TakePlainInputs({Quantized(input)}, layers));
  const FedLayer kept = ExpectKept(layers, input);
  EXPECT_EQ(kept.inputs[0].size(1), 2);
}

TEST_P(ShrinkChannelsTest, OtherLayersHaveNone) {
  LayerModules layers{ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                                    "    return torch.relu(x)\n"),
                      ModelOfSource("def forward(self, x: Tensor) -> Tensor:\n"
                                    "    return torch.relu(x)\n")};
  EXPECT_FALSE(ChannelsOf(layers).has_value());
}

// What the float side gives in one channel depends on the others.
TEST_P(ShrinkChannelsTest, ChannelsThatAreMixedStay) {
  const at::Tensor weight = at::randn({6, 5}) / 3;
  const at::Tensor input = at::randn({4, 5});
  LayerModules layers =
      Layer(ModelOfModule(MakeModel({{"layer", Linear(weight)}},
                                    {"return self.layer.forward(x)"})),
            QuantizedModel(QuantizedLinear(weight, false)), input);
  layers.float_layer = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return torch.softmax(torch.linear(x, self.w), -1)\n",
      {{"w", weight}});
  const auto kept = KeepChannels(layers, {Quantized(input).dequantize()},
                                 *ChannelsOf(layers), {0, 3});
  EXPECT_TRUE(IsRefusal(kept.status()));
  EXPECT_THAT(MessageOf(kept), HasSubstr("depend on each other"));
}

NS_INSTANTIATE_ON_ENGINES(ShrinkChannelsTest);

}  // namespace
}  // namespace ns
