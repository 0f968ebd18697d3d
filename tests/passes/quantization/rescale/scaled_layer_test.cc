#include "passes/quantization/rescale/scaled_layer.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "ir/model/model_graph.h"
#include "tests/passes/quantization/rescale/scaled_nets.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

struct Case {
  std::string op;
  std::string call;
  std::vector<int64_t> weight;
  int64_t inputs;
  int64_t outputs;
  at::Tensor x;
};

// `x` times factors of its channels.
at::Tensor OfChannels(const at::Tensor& x, bool is_linear,
                      const at::Tensor& factors) {
  return ScaledAlong(x, is_linear ? x.dim() - 1 : 1, factors);
}

// f(x * inputs) / outputs, for each kind of layer.
TEST(ScaledLayerTest, MovesFactorsOfInputsAndOutputs) {
  const Case cases[] = {
      {"aten::linear",
       "linear(x, self.w, self.b)",
       {6, 4},
       4,
       6,
       Normal({2, 3, 4}, 1)},
      {"aten::conv1d",
       "conv1d(x, self.w, self.b)",
       {6, 4, 3},
       4,
       6,
       Normal({2, 4, 5}, 1)},
      {"aten::conv2d",
       "conv2d(x, self.w, self.b, [1, 1], [1, 1], [1, 1], 2)",
       {6, 2, 3, 3},
       4,
       6,
       Normal({2, 4, 5, 5}, 1)},
      {"aten::conv2d",
       "conv2d(x, self.w, self.b, [1, 1], [1, 1], [1, 1], 4)",
       {8, 1, 3, 3},
       4,
       8,
       Normal({2, 4, 5, 5}, 1)},
      {"aten::conv3d",
       "conv3d(x, self.w, self.b)",
       {6, 4, 2, 2, 2},
       4,
       6,
       Normal({2, 4, 3, 3, 3}, 1)},
      {"aten::conv_transpose2d",
       "conv_transpose2d(x, self.w, self.b, [2, 2], [0, 0], [0, 0], 2)",
       {4, 3, 3, 3},
       4,
       6,
       Normal({2, 4, 3, 3}, 1)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.call);
    ModelGraph model =
        NetOf({"return torch." + c.call},
              {{"w", Normal(c.weight, 2)}, {"b", Normal({c.outputs}, 3)}});
    const ModelGraph before = OrThrow(model.Clone());
    ScaledLayer layer =
        OrThrow(ScaledLayer::Make(*NodeOf(model.graph(), c.op)));
    EXPECT_EQ(layer.inputs(), c.inputs);
    EXPECT_EQ(layer.outputs(), c.outputs);
    EXPECT_FALSE(layer.IsScaled());
    const at::Tensor inputs = SpreadFactors(c.inputs, 5, 4).to(at::kDouble);
    const at::Tensor outputs = SpreadFactors(c.outputs, 3, 5).to(at::kDouble);
    layer.MultiplyInputs(inputs);
    layer.DivideOutputs(outputs);
    EXPECT_TRUE(layer.IsScaled());
    layer.Write();
    const bool is_linear = c.op == "aten::linear";
    const at::Tensor expected = OfChannels(
        OutputOf(before, OfChannels(c.x, is_linear, inputs).to(at::kFloat)),
        is_linear, 1 / outputs);
    EXPECT_TRUE(
        OutputOf(model, c.x).to(at::kDouble).allclose(expected, 1e-4, 1e-4));
    // What it says of ranges is what a new object finds.
    const ScaledLayer again =
        OrThrow(ScaledLayer::Make(*NodeOf(model.graph(), c.op)));
    EXPECT_TRUE(layer.RangesOfInputs().allclose(again.RangesOfInputs(), 1e-5));
    EXPECT_TRUE(
        layer.RangesOfOutputs().allclose(again.RangesOfOutputs(), 1e-5));
  }
}

TEST(ScaledLayerTest, RangesAreThoseOfChannels) {
  ModelGraph model = NetOf(
      {"return torch.linear(x, self.w, None)"},
      {{"w",
        at::tensor({1.0F, -2.0F, 3.0F, 0.5F, 0.0F, -4.0F}).reshape({2, 3})}});
  const ScaledLayer layer =
      OrThrow(ScaledLayer::Make(*NodeOf(model.graph(), "aten::linear")));
  EXPECT_TRUE(
      layer.RangesOfOutputs().equal(at::tensor({3.0, 4.0}, at::kDouble)));
  EXPECT_TRUE(
      layer.RangesOfInputs().equal(at::tensor({1.0, 2.0, 4.0}, at::kDouble)));
}

TEST(ScaledLayerTest, WeightsThatWouldOverflowAreRefused) {
  ModelGraph model = NetOf({"return torch.linear(x, self.w, None)"},
                           {{"w", at::full({2, 2}, 1e30F)}});
  ScaledLayer layer =
      OrThrow(ScaledLayer::Make(*NodeOf(model.graph(), "aten::linear")));
  NS_EXPECT_OK(layer.CheckFinite());
  layer.MultiplyInputs(at::full({2}, 1e10, at::kDouble));
  EXPECT_TRUE(IsRefusal(layer.CheckFinite()));
}

}  // namespace
}  // namespace ns
