#include "ir/flatten/linear_of_addmm.h"

#include <ATen/Functions.h>
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

// A loaded model of one product: `call` has attributes w, (6, 4), b, (4), and
// s, (1).
ModelGraph Loaded(const std::string& call) {
  return OrThrow(ModelGraph::FromModule(MakeModule(
      "Model",
      "def forward(self, x: Tensor) -> Tensor:\n    return " + call + "\n",
      {{"w", at::randn({6, 4})},
       {"b", at::randn({4})},
       {"s", at::randn({1})}})));
}

bool IsLinear(const ModelGraph& model) {
  EXPECT_EQ(NodesOf(model.graph(), "aten::addmm").size() +
                NodesOf(model.graph(), "aten::linear").size(),
            1);
  return NodesOf(model.graph(), "aten::addmm").empty();
}

TEST(MakeLinearLayersOfAddmmTest, OutputsAreEqualToTheBit) {
  const torch::jit::Module module =
      MakeModule("Model",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    return torch.addmm(self.b, x, self.w)\n",
                 {{"w", at::randn({64, 48})}, {"b", at::randn({48})}});
  ModelGraph model = OrThrow(ModelGraph::FromModule(module));
  ASSERT_TRUE(IsLinear(model));
  const at::Tensor x = at::randn({33, 64});
  torch::jit::Module original = module;
  EXPECT_TRUE(OrThrow(model.Run({x}))
                  .toTensor()
                  .equal(original.forward({x}).toTensor()));
}

TEST(MakeLinearLayersOfAddmmTest, AreReplacedOnce) {
  const ModelGraph model = Loaded("torch.addmm(self.b, x, self.w)");
  EXPECT_TRUE(IsLinear(model));
  EXPECT_FALSE(MakeLinearLayersOfAddmm(OrThrow(model.Clone()).graph()));
}

TEST(MakeLinearLayersOfAddmmTest, KeepsProductsWithFactors) {
  EXPECT_FALSE(IsLinear(Loaded("torch.addmm(self.b, x, self.w, beta=2)")));
  EXPECT_FALSE(IsLinear(Loaded("torch.addmm(self.b, x, self.w, alpha=0.5)")));
  EXPECT_TRUE(IsLinear(Loaded("torch.addmm(self.b, x, self.w, alpha=1.0)")));
}

TEST(MakeLinearLayersOfAddmmTest, KeepsOneBiasForAllChannels) {
  EXPECT_FALSE(IsLinear(Loaded("torch.addmm(self.s, x, self.w)")));
}

TEST(MakeLinearLayersOfAddmmTest, KeepsProductsOfActivations) {
  EXPECT_FALSE(IsLinear(Loaded("torch.addmm(self.b, self.w.t(), x)")));
  EXPECT_FALSE(IsLinear(Loaded("torch.addmm(x[0], x, self.w)")));
}

}  // namespace
}  // namespace ns
