#include "passes/analysis/subgraph_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

class SubgraphWeightsTest : public testing::Test {
 protected:
  // A layer whose forward is `expression`, and a batch norm behind it.
  static ModelGraph LayerAndBatchNorm(const std::string& expression,
                                      const at::Tensor& weight, int channels) {
    return OrThrow(ModelGraph::FromModule(MakeModel(
        {{"layer", MakeModule("Layer",
                              "def forward(self, x: Tensor) -> Tensor:\n"
                              "    return " +
                                  expression + "\n",
                              {{"weight", weight}})},
         {"bn", BatchNorm2d(channels)}},
        {"return self.bn.forward(self.layer.forward(x))"})));
  }

  static Subgraph SubgraphOf(const ModelGraph& model, const std::string& op) {
    torch::jit::Node* base = NodeOf(model.graph(), op);
    torch::jit::Node* end = NodeOf(model.graph(), "aten::batch_norm");
    return {base, end, base, {base, end}};
  }

  // The layer with the weight of its subgraph computes what layer and batch
  // norm do together, up to a bias.
  static void ExpectFolds(const std::string& expression, const std::string& op,
                          const at::Tensor& weight, int channels,
                          const at::Tensor& x) {
    ModelGraph model = LayerAndBatchNorm(expression, weight, channels);
    const auto weights = OrThrow(SubgraphWeights(SubgraphOf(model, op)));
    ASSERT_EQ(weights.size(), 1);
    ModelGraph folded = OrThrow(ModelGraph::FromModule(
        MakeModule("Folded",
                   "def forward(self, x: Tensor) -> Tensor:\n    return " +
                       expression + "\n",
                   {{"weight", weights[0].value}})));
    const auto run = [](ModelGraph& graph, const at::Tensor& input) {
      return OrThrow(graph.Run({input})).toTensor();
    };
    const at::Tensor bias = run(model, at::zeros_like(x));
    EXPECT_TRUE(at::allclose(run(model, x) - bias, run(folded, x), 1e-3, 1e-4));
  }
};

TEST_F(SubgraphWeightsTest, FoldsBatchNormIntoConv) {
  ExpectFolds("torch.conv2d(x, self.weight)", "aten::conv2d",
              at::randn({3, 2, 3, 3}), 3, at::randn({1, 2, 6, 6}));
}

TEST_F(SubgraphWeightsTest, FoldsBatchNormIntoGroupedConv) {
  ExpectFolds("torch.conv2d(x, self.weight, None, [1, 1], [0, 0], [1, 1], 2)",
              "aten::conv2d", at::randn({4, 3, 3, 3}), 4,
              at::randn({1, 6, 6, 6}));
}

TEST_F(SubgraphWeightsTest, FoldsBatchNormIntoTransposedConv) {
  ExpectFolds("torch.conv_transpose2d(x, self.weight)",
              "aten::conv_transpose2d", at::randn({2, 3, 3, 3}), 3,
              at::randn({1, 2, 6, 6}));
}

TEST_F(SubgraphWeightsTest, FoldsBatchNormIntoTransposedConvWithGroups) {
  ExpectFolds(
      "torch.conv_transpose2d(x, self.weight, None, [1, 1], [0, 0], "
      "[0, 0], 2)",
      "aten::conv_transpose2d", at::randn({4, 3, 3, 3}), 6,
      at::randn({1, 4, 6, 6}));
}

TEST_F(SubgraphWeightsTest, FoldsBatchNormIntoTracedTransposedConvWithGroups) {
  ExpectFolds(
      "torch._convolution(x, self.weight, None, [1, 1], [0, 0], "
      "[1, 1], True, [0, 0], 2, False, False, False, False)",
      "aten::_convolution", at::randn({4, 3, 3, 3}), 6,
      at::randn({1, 4, 6, 6}));
}

TEST_F(SubgraphWeightsTest, FoldsBatchNormIntoLinear) {
  ExpectFolds("torch.linear(x, self.weight)", "aten::linear", at::randn({3, 5}),
              3, at::randn({7, 5}));
}

TEST_F(SubgraphWeightsTest, LeavesWeightAloneWithoutBatchNorm) {
  const at::Tensor weight = at::randn({3, 2, 3, 3});
  const ModelGraph model =
      LayerAndBatchNorm("torch.conv2d(x, self.weight)", weight, 3);
  torch::jit::Node* conv = NodeOf(model.graph(), "aten::conv2d");
  const auto weights = OrThrow(SubgraphWeights({conv, conv, conv, {conv}}));
  ASSERT_EQ(weights.size(), 1);
  EXPECT_TRUE(weights[0].value.equal(weight));
}

TEST_F(SubgraphWeightsTest, DoesNotFoldBatchNormIntoItself) {
  const ModelGraph model = LayerAndBatchNorm("torch.conv2d(x, self.weight)",
                                             at::randn({3, 2, 3, 3}), 3);
  torch::jit::Node* bn = NodeOf(model.graph(), "aten::batch_norm");
  const auto weights = OrThrow(SubgraphWeights({bn, bn, bn, {bn}}));
  ASSERT_EQ(weights.size(), 1);
  EXPECT_TRUE(weights[0].value.equal(BatchNorm2d(3).attr("weight").toTensor()));
}

// A module that is trained with its norm scales its weight itself, and undoes
// that in front of the norm.
TEST_F(SubgraphWeightsTest, FoldsNothingWhereOtherOpsComeBeforeTheNorm) {
  const at::Tensor weight = at::randn({3, 2});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"fc", Linear(weight)}, {"bn", BatchNorm2d(3)}},
                {"y = torch.div(self.fc.forward(x), 3.0)",
                 "return self.bn.forward(y)"})));
  Subgraph subgraph = SubgraphOf(model, "aten::linear");
  subgraph.nodes.insert(subgraph.nodes.begin() + 1,
                        NodeOf(model.graph(), "aten::div"));
  const auto weights = OrThrow(SubgraphWeights(subgraph));
  ASSERT_EQ(weights.size(), 1);
  EXPECT_TRUE(weights[0].value.equal(weight));
}

}  // namespace
}  // namespace ns
