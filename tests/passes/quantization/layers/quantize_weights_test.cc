#include "passes/quantization/layers/quantize_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/layers/float_subgraphs.h"
#include "passes/runtime/observers/fake_quantize_weight.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::StartsWith;

const ObserverSpec kInt8 = Int8PerTensorQConfig().weight;
const ObserverSpec kInt8PerChannel = Int8PerChannelQConfig().weight;
const ObserverSpec kHalf = PlaceholderSpec(at::kHalf);

at::Tensor Quantized(const at::Tensor& weight, const ObserverSpec& spec) {
  return FakeQuantizeWeight(weight, spec.config);
}

ModelGraph Flat(const torch::jit::Module& module) {
  return OrThrow(ModelGraph::FromModule(module));
}

// Quantizes the weights of the only subgraph of `model`, in place.
void Quantize(ModelGraph& model, const ObserverSpec& config) {
  const FloatSubgraph found = FindFloatSubgraphs(model.graph()).at(0);
  CopiedSubgraph copy = {found.subgraph, found.output};
  NS_EXPECT_OK(QuantizeWeights(config, copy));
  EXPECT_EQ(copy.output->node(), copy.subgraph.end);
}

class QuantizeWeightsTest : public testing::Test {
 protected:
  void ExpectClose(ModelGraph& model, const std::vector<c10::IValue>& inputs,
                   const at::Tensor& expected) {
    const at::Tensor y = OrThrow(model.Run(inputs)).toTensor();
    EXPECT_TRUE(y.allclose(expected, 1e-5, 1e-5)) << y - expected;
  }
};

TEST_F(QuantizeWeightsTest, LinearComputesWithTheQuantizedWeight) {
  const at::Tensor weight = at::randn({4, 5});
  const at::Tensor x = at::randn({2, 5});
  for (const ObserverSpec& config : {kInt8, kInt8PerChannel, kHalf}) {
    ModelGraph model = Flat(
        MakeModel({{"fc", Linear(weight)}}, {"return self.fc.forward(x)"}));
    Quantize(model, config);
    ExpectClose(model, {x}, at::linear(x, Quantized(weight, config)));
  }
}

TEST_F(QuantizeWeightsTest, FloatChangesNothing) {
  ModelGraph model = Flat(MakeModel(
      {{"conv", Conv2d(at::randn({4, 3, 3, 3}))}, {"bn", BatchNorm2d(4)}},
      {"return self.bn.forward(self.conv.forward(x))"}));
  Quantize(model, PlaceholderSpec());
  EXPECT_EQ(NodesOf(model.graph(), "aten::batch_norm").size(), 1);
}

TEST_F(QuantizeWeightsTest, BatchNormIsFoldedBeforeQuantizing) {
  const at::Tensor weight = at::randn({4, 3, 3, 3});
  const torch::jit::Module module = MakeModel(
      {{"conv", Conv2d(weight)}, {"bn", BatchNorm2d(4)}, {"relu", Relu()}},
      {"return self.relu.forward(self.bn.forward(self.conv.forward(x)))"});
  const at::Tensor x = at::randn({2, 3, 6, 6});
  ModelGraph model = Flat(module);
  Quantize(model, kInt8PerChannel);
  EXPECT_TRUE(NodesOf(model.graph(), "aten::batch_norm").empty());
  // By hand, from the buffers of the batch norm.
  const torch::jit::Module bn = module.attr("bn").toModule();
  const auto buffer = [&](const char* name) {
    return bn.attr(name).toTensor();
  };
  const at::Tensor scale =
      buffer("weight") / (buffer("running_var") + 1e-5).sqrt();
  const at::Tensor folded =
      Quantized(weight * scale.reshape({4, 1, 1, 1}), kInt8PerChannel);
  const at::Tensor bias = buffer("bias") - buffer("running_mean") * scale;
  ExpectClose(model, {x}, at::conv2d(x, folded, bias).relu());
}

TEST_F(QuantizeWeightsTest, FoldedBatchNormOfFineWeightsChangesLittle) {
  ModelGraph model = Flat(MakeModel(
      {{"conv", Conv2d(at::randn({4, 3, 3, 3}))}, {"bn", BatchNorm2d(4)}},
      {"return self.bn.forward(self.conv.forward(x))"}));
  const at::Tensor x = at::randn({2, 3, 6, 6});
  const at::Tensor expected = OrThrow(model.Run({x})).toTensor();
  Quantize(model, kHalf);
  EXPECT_TRUE(
      OrThrow(model.Run({x})).toTensor().allclose(expected, 1e-2, 1e-2));
}

TEST_F(QuantizeWeightsTest, WeightThatIsComputedIsQuantizedWhenTheGraphRuns) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::linear(%x, %w, %none)
  return (%y))IR");
  Quantize(model, kInt8PerChannel);
  const at::Tensor x = at::randn({2, 5});
  const at::Tensor weight = at::randn({4, 5});
  ExpectClose(model, {x, weight},
              at::linear(x, Quantized(weight, kInt8PerChannel)));
}

constexpr char kLayerNorm[] = R"IR(
graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %eps : float = prim::Constant[value=1e-5]()
  %no : bool = prim::Constant[value=0]()
  %four : int = prim::Constant[value=4]()
  %shape : int[] = prim::ListConstruct(%four)
  %y : Tensor = aten::layer_norm(%x, %shape, %w, %none, %eps, %no)
  return (%y))IR";

TEST_F(QuantizeWeightsTest, NormsAreRoundedOnly) {
  const at::Tensor x = at::randn({2, 4});
  const at::Tensor weight = at::randn({4});
  ModelGraph int8 = ModelOf(kLayerNorm);
  Quantize(int8, kInt8);
  ExpectClose(int8, {x, weight}, at::layer_norm(x, {4}, weight));
  ModelGraph half = ModelOf(kLayerNorm);
  Quantize(half, kHalf);
  EXPECT_EQ(NodesOf(half.graph(), "ns::fake_quantize_weight").size(), 1);
}

TEST_F(QuantizeWeightsTest, RecurrentLayersKeepTheirBiases) {
  const std::vector<at::Tensor> parameters = {
      at::randn({8, 3}), at::randn({8, 2}), at::randn({8}), at::randn({8})};
  ModelGraph model = Flat(MakeModule(
      "Model",
      "def forward(self, x: Tensor, h: Tensor, c: Tensor):\n"
      "    y, hn, cn = torch.lstm(x, [h, c], [self.a, self.b, self.c, self.d],"
      " True, 1, 0.0, False, False, False)\n"
      "    return y\n",
      {{"a", parameters[0]},
       {"b", parameters[1]},
       {"c", parameters[2]},
       {"d", parameters[3]}}));
  Quantize(model, kInt8);
  const at::Tensor x = at::randn({5, 1, 3});
  const at::Tensor h = at::zeros({1, 1, 2});
  ExpectClose(model, {x, h, h},
              std::get<0>(at::lstm(
                  x, {h, h}, FakeQuantizeWeights(parameters, kInt8.config),
                  true, 1, 0.0, false, false, false)));
}

TEST_F(QuantizeWeightsTest, RecurrentLayersKeepBiasesThatAreNotConstant) {
  const std::vector<at::Tensor> parameters = {
      at::randn({8, 3}), at::randn({8, 2}), at::randn({8}), at::randn({8})};
  ModelGraph model = Flat(MakeModule(
      "Model",
      "def forward(self, x: Tensor, h: Tensor, c: Tensor):\n"
      "    y, hn, cn = torch.lstm(x, [h, h], [self.a, self.b, c, self.d]"
      ", True, 1, 0.0, False, False, False)\n"
      "    return y\n",
      {{"a", parameters[0]}, {"b", parameters[1]}, {"d", parameters[3]}}));
  Quantize(model, kInt8);
  const at::Tensor x = at::randn({5, 1, 3});
  const at::Tensor h = at::zeros({1, 1, 2});
  ExpectClose(model, {x, h, parameters[2]},
              std::get<0>(at::lstm(
                  x, {h, h}, FakeQuantizeWeights(parameters, kInt8.config),
                  true, 1, 0.0, false, false, false)));
}

TEST_F(QuantizeWeightsTest, ObserversThatCannotBeHadAreErrors) {
  for (const ObserverKind kind :
       {ObserverKind::kScripted, ObserverKind::kRecording}) {
    ModelGraph model = Flat(MakeModel({{"fc", Linear(at::randn({4, 5}))}},
                                      {"return self.fc.forward(x)"}));
    const FloatSubgraph found = FindFloatSubgraphs(model.graph()).at(0);
    CopiedSubgraph copy = {found.subgraph, found.output};
    const absl::Status status = QuantizeWeights(SpecOf(kind), copy);
    EXPECT_THAT(std::string(status.message()),
                StartsWith("quantizing a weight: observer '"));
  }
}

}  // namespace
}  // namespace ns
