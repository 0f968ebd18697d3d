#include "passes/instrument/quantized_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/subgraph_weights.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class QuantizedWeightsTest : public EngineTest {
 protected:
  QuantizedWeightsTest() {
    at::manual_seed(3);
    weight_ = at::randn({4, 3, 2, 2});
  }

  // Matches conv-bn of weight_ with a quantized convolution of `quantized`.
  std::vector<TensorReplacement> OfConv(const at::Tensor& quantized) {
    a_ = OrThrow(ModelGraph::FromModule(
        MakeModel({{"conv", Conv2d(weight_)}, {"bn", BatchNorm2d(4)}},
                  {"return self.bn.forward(self.conv.forward(x))"})));
    const ModelGraph b = OrThrow(ModelGraph::FromModule(MakeModel(
        {{"quant", Quantize()}, {"conv", QuantizedConv2d(quantized, false)}},
        {"return self.conv.forward(self.quant.forward(x))"})));
    matches_ = OrThrow(MatchSubgraphs(*a_, b));
    const auto names = MatchNames(matches_);
    const size_t index =
        std::find(names.begin(), names.end(), "conv") - names.begin();
    EXPECT_LT(index, names.size());
    conv_ = matches_.matches.at(index).a.subgraph;
    return OrThrow(QuantizedWeights(matches_.matches.at(index)));
  }

  at::Tensor weight_;
  std::optional<ModelGraph> a_;
  MatchResult matches_;
  Subgraph conv_;
};

TEST_P(QuantizedWeightsTest, FoldingGivesTheQuantizedWeight) {
  const at::Tensor quantized = at::randn({4, 3, 2, 2});
  const auto replacements = OfConv(quantized);
  ASSERT_THAT(replacements, SizeIs(1));
  EXPECT_TRUE(replacements[0].before.equal(weight_));
  EXPECT_TRUE(replacements[0].after.is_contiguous());
  const at::Tensor folded = OrThrow(
      FoldBatchNorm(replacements[0].after, *conv_.base, *conv_.nodes.back()));
  const at::Tensor expected = QuantizeWeight(quantized).dequantize();
  EXPECT_TRUE(at::allclose(folded, expected, 1e-6, 1e-7));
  EXPECT_FALSE(at::allclose(replacements[0].after, expected, 1e-2, 1e-2));
}

TEST_P(QuantizedWeightsTest, OtherShapesHaveNoCounterpart) {
  const auto conv = [](const at::Tensor& weight) {
    return OrThrow(ModelGraph::FromModule(MakeModel(
        {{"conv", Conv2d(weight)}}, {"return self.conv.forward(x)"})));
  };
  const ModelGraph a = conv(weight_);
  const ModelGraph b = conv(at::randn({4, 3, 1, 1}));
  SubgraphMatch match;
  for (const auto& [model, side] :
       {std::pair(&a, &match.a), std::pair(&b, &match.b)}) {
    side->subgraph.base = NodeOf(model->graph(), "aten::conv2d");
    side->subgraph.nodes = {side->subgraph.base};
  }
  EXPECT_THAT(OrThrow(QuantizedWeights(match)), IsEmpty());
}

TEST_P(QuantizedWeightsTest, TheSameWeightIsNotReplaced) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(weight_)}}, {"return self.conv.forward(x)"})));
  const ModelGraph same = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(weight_)}}, {"return self.conv.forward(x)"})));
  const MatchResult matches = OrThrow(MatchSubgraphs(model, same));
  ASSERT_THAT(matches.matches, SizeIs(1));
  EXPECT_THAT(OrThrow(QuantizedWeights(matches.matches[0])), IsEmpty());
}

NS_INSTANTIATE_ON_ENGINES(QuantizedWeightsTest);

// A channel that the norm multiplies by 0 has no weight to go back to.
TEST(UnfoldBatchNormsTest, AScaleOfZeroGivesZeros) {
  const at::Tensor weight = at::ones({2, 1, 1, 1});
  const auto norm = MakeModule(
      "Norm",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    y = torch.conv2d(x, self.weight)\n"
      "    return torch.batch_norm(y, self.gamma, None, self.mean, self.var,\n"
      "                            False, 0.1, 0.0, False)\n",
      {{"weight", weight},
       {"gamma", at::tensor({0.0f, 4.0f})},
       {"mean", at::zeros({2})},
       {"var", at::ones({2})}});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(norm));
  Subgraph subgraph;
  subgraph.base = NodeOf(model.graph(), "aten::conv2d");
  subgraph.nodes = {subgraph.base, NodeOf(model.graph(), "aten::batch_norm")};
  const auto unfolded = OrThrow(UnfoldBatchNorms(subgraph, {weight.clone()}));
  EXPECT_TRUE(unfolded.at(0).flatten().equal(at::tensor({0.0f, 0.25f})));
}

}  // namespace
}  // namespace ns
