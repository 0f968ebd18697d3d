#include "passes/analysis/subgraph_bias.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using OptionalTensor = std::optional<at::Tensor>;

// Returns the bias of a subgraph of the ops `names`, one of each; the first is
// the base op.
OptionalTensor BiasOf(const ModelGraph& model,
                      const std::vector<std::string>& names) {
  Subgraph subgraph;
  for (const std::string& name : names) {
    subgraph.nodes.push_back(NodeOf(model.graph(), name));
  }
  subgraph.start = subgraph.base = subgraph.nodes.front();
  subgraph.end = subgraph.nodes.back();
  return OrThrow(SubgraphBias(subgraph));
}

// A module whose only op is `call`, with the attributes `layer` and `bias`.
ModelGraph ModelWith(const std::string& call, const c10::IValue& layer,
                     const at::Tensor& bias) {
  return OrThrow(ModelGraph::FromModule(MakeModule(
      "Layer",
      "def forward(self, x: Tensor) -> Tensor:\n    return " + call + "\n",
      {{"layer", layer}, {"bias", bias}})));
}

TEST(SubgraphBiasTest, ALayerWithoutABiasHasAnUndefinedOne) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"fc", Linear(at::ones({3, 4}))}}, {"return self.fc.forward(x)"})));
  const OptionalTensor bias = BiasOf(model, {"aten::linear"});
  ASSERT_TRUE(bias.has_value());
  EXPECT_FALSE(bias->defined());
}

TEST(SubgraphBiasTest, AConstantBiasIsReadAsItIs) {
  const at::Tensor expected = at::arange(3, at::kFloat);
  const OptionalTensor bias =
      BiasOf(ModelWith("torch.linear(x, self.layer, self.bias)",
                       at::ones({3, 4}), expected),
             {"aten::linear"});
  ASSERT_TRUE(bias.has_value());
  EXPECT_TRUE(at::equal(*bias, expected));
}

TEST(SubgraphBiasTest, APackedBiasIsUnpacked) {
  const at::Tensor expected = at::arange(3, at::kFloat);
  const c10::IValue packed =
      CallOp("quantized::linear_prepack",
             {QuantizeWeight(at::ones({3, 4})), expected});
  const OptionalTensor bias =
      BiasOf(ModelWith("ops.quantized.linear(x, self.layer, 0.1, 0)", packed,
                       at::zeros({3})),
             {"quantized::linear"});
  ASSERT_TRUE(bias.has_value());
  EXPECT_TRUE(at::equal(*bias, expected));
}

TEST(SubgraphBiasTest, ABatchNormIsFolded) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"conv", Conv2d(at::ones({4, 3, 1, 1}))}, {"bn", BatchNorm2d(4)}},
      {"return self.bn.forward(self.conv.forward(x))"})));
  const OptionalTensor bias =
      BiasOf(model, {"aten::conv2d", "aten::batch_norm"});
  ASSERT_TRUE(bias.has_value());
  // What both make of nothing is the bias.
  const at::Tensor outputs =
      OrThrow(model.Run({at::zeros({1, 3, 1, 1})})).toTensor();
  EXPECT_TRUE(at::allclose(*bias, outputs.flatten()));
  EXPECT_GT(bias->abs().max().item<float>(), 0);
}

TEST(SubgraphBiasTest, OtherOpsHaveNone) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"relu", Relu()}}, {"return self.relu.forward(x)"})));
  EXPECT_FALSE(BiasOf(model, {"aten::relu"}).has_value());
  EXPECT_FALSE(OrThrow(SubgraphBias(Subgraph())).has_value());
}

}  // namespace
}  // namespace ns
