#include "ns/quantization/eager/quantizable_parts.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>

#include "gtest/gtest.h"
#include "ns/eager/module_tree.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Module;

TEST(QuantizablePartsTest, ALinearLayerHasTheTensorsThemselves) {
  const at::Tensor weight = at::rand({2, 3});
  const at::Tensor bias = at::rand({2});
  const at::Tensor x = at::rand({4, 3});
  Module linear = OrThrow(LinearModule(weight, bias));
  EXPECT_EQ(TypeNameOf(linear), "torch.nn.modules.linear.Linear");
  EXPECT_TRUE(TensorOf(linear, "weight").is_same(weight));
  EXPECT_TRUE(TensorOf(linear, "bias").is_same(bias));
  EXPECT_EQ(linear.attr("in_features").toInt(), 3);
  EXPECT_EQ(linear.attr("out_features").toInt(), 2);
  EXPECT_TRUE(
      linear.forward({x}).toTensor().equal(at::linear(x, weight, bias)));
}

TEST(QuantizablePartsTest, ALinearLayerNeedsNoBias) {
  const at::Tensor weight = at::rand({2, 3});
  const at::Tensor x = at::rand({4, 3});
  Module linear = OrThrow(LinearModule(weight, {}));
  EXPECT_TRUE(linear.attr("bias").isNone());
  EXPECT_FALSE(TensorOf(linear, "bias").defined());
  EXPECT_TRUE(linear.forward({x}).toTensor().equal(at::linear(x, weight)));
}

TEST(QuantizablePartsTest, AFunctionalHasWhatIsObserved) {
  const Module functional = OrThrow(FloatFunctional(
      "def add(self, x: Tensor, y: Tensor) -> Tensor:\n"
      "    return self.activation_post_process.forward(torch.add(x, y))\n"));
  EXPECT_EQ(functional.get_method("add")({at::ones({2}), at::ones({2})})
                .toTensor()
                .sum()
                .item<float>(),
            4);
  EXPECT_EQ(TypeNameOf(functional.attr("activation_post_process").toModule()),
            "torch.nn.modules.linear.Identity");
  EXPECT_FALSE(FloatFunctional("def add(self: 1)").ok());
}

}  // namespace
}  // namespace ns
