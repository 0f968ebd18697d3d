#include "ns/eager/module_weights.h"

#include <ATen/Functions.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::StartsWith;

using ModuleWeightsTest = EngineTest;

// A model whose module "conv" packs a 3d convolution.
torch::jit::Module ModelWithConv3d() {
  using Ints = std::vector<int64_t>;
  const c10::IValue packed =
      CallOp("quantized::conv3d_prepack",
             {QuantizeWeight(at::randn({4, 3, 3, 3, 3})), c10::IValue(),
              Ints{1, 1, 1}, Ints{0, 0, 0}, Ints{1, 1, 1}, int64_t{1}});
  const torch::jit::Module conv = MakeModule(
      "Conv3d",
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return ops.quantized.conv3d(x, self._packed_params, 0.1, 9)\n",
      {{"_packed_params", packed}});
  return MakeModel({{"conv", conv}}, {"return self.conv.forward(x)"});
}

TEST_P(ModuleWeightsTest, NamesTheWeightThatCannotBeUnpacked) {
  const auto weights = ModuleWeights(ModelWithConv3d());
  if (GetParam() == at::kQNNPACK) {
    EXPECT_THAT(MessageOf(weights),
                StartsWith("reading the weights of the quantized model: "
                           "conv.weight: QNNPACK only supports conv2d_unpack"));
    return;
  }
  ASSERT_TRUE(weights.ok()) << MessageOf(weights);
  ASSERT_EQ(weights->size(), 1);
  EXPECT_EQ(weights->front().key, "conv.weight");
  EXPECT_EQ(weights->front().values.at(0).dim(), 5);
}

NS_INSTANTIATE_ON_ENGINES(ModuleWeightsTest);

}  // namespace
}  // namespace ns
