#include "ns/n_shadows/compare_weights.h"

#include <ATen/Functions.h>

#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/fake_quantize_weight.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CompareWeightsTest : public testing::Test {
 protected:
  const at::Tensor weight_ = at::randn({4, 4});
  // Four functional linears with weights of their own.
  const ModelGraph model_ = OrThrow(ModelGraph::FromModule(
      MakeModule("Model",
                 "def forward(self, x: Tensor):\n"
                 "    x = torch.linear(x, self.w0)\n"
                 "    x = torch.relu(torch.linear(x, self.w1))\n"
                 "    x = torch.linear(x, self.w2)\n"
                 "    return torch.linear(x, self.w3)\n",
                 {{"w0", weight_},
                  {"w1", at::randn({4, 4})},
                  {"w2", at::randn({4, 4})},
                  {"w3", at::randn({4, 4})}})));
};

TEST_F(CompareWeightsTest, EveryLinearHasTheQConfigOfItsPlace) {
  const std::vector<QuantizedWeight> weights = OrThrow(NShadowsCompareWeights(
      model_, QConfigMapping()
                  .SetGlobal(Int8PerChannelQConfig())
                  .SetModuleNameObjectTypeOrder("", "linear", 2, std::nullopt)
                  .SetModuleNameObjectTypeOrder("", "linear", 3,
                                                Int8PerTensorQConfig())));
  ASSERT_THAT(weights, SizeIs(3));
  EXPECT_EQ(weights[0].subgraph, "linear");
  EXPECT_EQ(weights[0].parameter, "weight");
  EXPECT_EQ(weights[0].qconfig, "int8 per channel");
  EXPECT_EQ(weights[1].subgraph, "linear@1");
  EXPECT_EQ(weights[2].subgraph, "linear@3");
  EXPECT_EQ(weights[2].qconfig, "int8 per tensor");
  EXPECT_TRUE(weights[0].value.equal(weight_));
  EXPECT_TRUE(weights[0].quantized.equal(
      FakeQuantizeWeight(weight_, Int8PerChannelQConfig().weight.config)));
  EXPECT_EQ(weights[0].statistics.SqnrDb(),
            ComparePair(weight_, weights[0].quantized).SqnrDb());
}

TEST_F(CompareWeightsTest, BatchNormsAreFoldedIn) {
  const at::Tensor weight = at::randn({4, 3, 3, 3});
  const std::vector<QuantizedWeight> weights = OrThrow(NShadowsCompareWeights(
      OrThrow(ModelGraph::FromModule(
          MakeModel({{"conv", Conv2d(weight)}, {"bn", BatchNorm2d(4)}},
                    {"return self.bn.forward(self.conv.forward(x))"}))),
      QConfigMapping().SetGlobal(Int8PerTensorQConfig())));
  ASSERT_THAT(weights, SizeIs(1));
  EXPECT_FALSE(weights[0].value.allclose(weight));
  EXPECT_GT(weights[0].statistics.SqnrDb(), 30);
}

TEST_F(CompareWeightsTest, OpsWithoutWeightsAndQConfigsAreLeftOut) {
  EXPECT_THAT(OrThrow(NShadowsCompareWeights(model_, QConfigMapping())),
              IsEmpty());
  EXPECT_THAT(OrThrow(NShadowsCompareWeights(
                  model_, QConfigMapping().SetObjectType(
                              "relu", Int8PerTensorQConfig()))),
              IsEmpty());
}

TEST_F(CompareWeightsTest, BadRegexIsAnError) {
  EXPECT_THAT(MessageOf(NShadowsCompareWeights(
                  model_, QConfigMapping().SetModuleNameRegex(
                              "(", Int8PerTensorQConfig()))),
              HasSubstr("'('"));
}

}  // namespace
}  // namespace ns
