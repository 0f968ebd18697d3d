#include "passes/lowering/lower_matched.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/graph/verifier.h"
#include "passes/analysis/saturation_check.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/small_layers.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using LowerMatchedTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(LowerMatchedTest);

// conv-relu6, linear; relu6 is an op of its own in the quantized model.
ModelGraph FloatModel() {
  at::manual_seed(1);
  return ModelOfModule(
      MakeModel({{"conv", Conv2d(at::randn({6, 3, 3, 3}))},
                 {"fc", Linear(at::randn({5, 6}))}},
                {"x = torch.hardtanh(self.conv.forward(x), 0., 6.)",
                 "x = torch.flatten(x.permute(0, 2, 3, 1), 0, 2)",
                 "return self.fc.forward(x)"}));
}

ModelGraph QuantizedModel() {
  at::manual_seed(1);
  return ModelOfModule(
      MakeModel({{"quant", Quantize()},
                 {"conv", QuantizedConv2d(at::randn({6, 3, 3, 3}), false)},
                 {"fc", QuantizedLinear(at::randn({5, 6}), false)},
                 {"dequant", DeQuantize()}},
                {"x = self.conv.forward(self.quant.forward(x))",
                 "x = torch.hardtanh(x, 0., 6.)",
                 "x = torch.flatten(x.permute(0, 2, 3, 1), 0, 2)",
                 "return self.dequant.forward(self.fc.forward(x))"}));
}

TEST_P(LowerMatchedTest, MatchesNameTheOpsOfOurs) {
  const ModelGraph a = FloatModel();
  ModelGraph b = QuantizedModel();
  MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  PassContext context;
  NS_ASSERT_OK(
      LowerMatched(b, matches, kernels::SaturationMode::kFbgemmAvx2, context));
  NS_EXPECT_OK(VerifyGraph(b.graph()));
  EXPECT_EQ(CountLoweredOps(b.graph()), 5);
  const std::vector<torch::jit::Node*> nodes = AllNodes(b.graph());
  std::string ops;
  for (const SubgraphMatch& match : matches.matches) {
    for (torch::jit::Node* node : match.b.subgraph.nodes) {
      ASSERT_NE(std::find(nodes.begin(), nodes.end(), node), nodes.end());
      ops += std::string(OpName(*node)) + " ";
    }
    EXPECT_EQ(match.b.output->node(), match.b.subgraph.end);
  }
  EXPECT_EQ(ops,
            "ns::fbgemm_quantize ns::fbgemm_conv2d ns::fbgemm_clamp "
            "aten::flatten ns::fbgemm_linear ");
}

TEST_P(LowerMatchedTest, NotFusedGivesTheSameBits) {
  const ModelGraph a = FloatModel();
  ModelGraph b = QuantizedModel();
  MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  PassContext context;
  NS_ASSERT_OK(
      LowerMatched(b, matches, kernels::SaturationMode::kFbgemmAvx2, context));
  ModelGraph fused = QuantizedModel();
  LowerToFbgemmOptions options;
  options.numerics = kernels::SaturationMode::kFbgemmAvx2;
  RunPass(LowerToFbgemm(options), fused);
  EXPECT_EQ(NodesOf(fused.graph(), "ns::fbgemm_clamp").size(), 0);
  const at::Tensor x = at::randn({2, 3, 9, 9}) * 3;
  ExpectEqualValues(OrThrow(b.Run({x})), OrThrow(fused.Run({x})));
}

TEST(LowerMatchedAgainTest, LayersThatWereLoweredBeforeTakeOnTheNumerics) {
  const ModelGraph a = ModelOfModule(MakeModel(
      {{"fc", Linear(at::randn({4, 4}))}}, {"return self.fc.forward(x)"}));
  ModelGraph b = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    q = ops.ns.fbgemm_quantize(x, 0.05, 64)\n"
      "    q = ops.ns.fbgemm_linear(q, self.layer, 0.5, 3)\n"
      "    return ops.ns.fbgemm_dequantize(q)\n",
      {{"layer", LinearLayer(RandomInt8({4, 4}, 127),
                             kernels::SaturationMode::kExact)}});
  MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  PassContext context;
  NS_ASSERT_OK(
      LowerMatched(b, matches, kernels::SaturationMode::kFbgemmAvx2, context));
  const auto layer = LayerOf(*NodeOf(b.graph(), "ns::fbgemm_linear"));
  ASSERT_TRUE(layer.has_value());
  EXPECT_EQ(layer->saturation_mode(), kernels::SaturationMode::kFbgemmAvx2);
}

}  // namespace
}  // namespace ns
