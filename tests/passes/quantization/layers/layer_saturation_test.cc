#include "passes/quantization/layers/layer_saturation.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// A model with one layer, `call` of self.weight.
ModelGraph Layer(const std::string& call, const at::Tensor& weight) {
  return OrThrow(ModelGraph::FromModule(MakeModule(
      "M", absl::StrCat("def forward(self, x: Tensor):\n  return ", call, "\n"),
      {{"weight", weight}})));
}

at::Tensor Quantized(const at::Tensor& weight) {
  return at::quantize_per_tensor(weight, 1, 0, at::kQInt8);
}

struct LayerCase {
  std::string call;
  std::vector<int64_t> sizes;
  bool in_vnni;
  bool in_avx2;
  bool in_onednn;
};

TEST(LayerSaturationTest, TheKernelTells) {
  const std::string plain = "torch.conv2d(x, self.weight, None, [1, 1], ";
  const LayerCase cases[] = {
      {"torch.linear(x, self.weight)", {4, 8}, false, true, true},
      {plain + "[1, 1], [1, 1], 1)", {16, 16, 3, 3}, false, true, true},
      {plain + "[1, 1], [1, 1], 16)", {16, 1, 3, 3}, true, true, false},
      // Two output channels for each of the input.
      {plain + "[1, 1], [1, 1], 16)", {32, 1, 3, 3}, true, true, true},
      {"torch.conv1d(x, self.weight, None, [1], [1], [1], 16)",
       {16, 1, 3},
       false,
       true,
       false},
      {"torch.conv3d(x, self.weight, None, [1, 1, 1], [1, 1, 1], [1, 1, 1], "
       "16)",
       {16, 1, 3, 3, 3},
       true,
       true,
       true},
      // fbgemm's depthwise kernels take no depth of 1.
      {"torch.conv3d(x, self.weight, None, [1, 1, 1], [0, 1, 1], [1, 1, 1], "
       "16)",
       {16, 1, 1, 3, 3},
       false,
       true,
       true},
      // Only a run tells how it is padded: the worst is assumed.
      {plain + "[x.size(0), 1], [1, 1], 16)", {16, 1, 3, 3}, true, true, true},
      {"torch.conv_transpose2d(x, self.weight)",
       {16, 4, 3, 3},
       false,
       true,
       true},
  };
  for (const LayerCase& layer : cases) {
    const at::Tensor weight = at::full(layer.sizes, 100.0F);
    const ModelGraph model = Layer(layer.call, weight);
    const std::string op = layer.call.substr(6, layer.call.find('(') - 6);
    const torch::jit::Node& node =
        *NodeOf(model.graph(), absl::StrCat("aten::", op));
    const auto expect = [&](QuantizationTarget target, bool saturates) {
      EXPECT_EQ(HasSaturatingKernel(node, target), saturates) << layer.call;
      EXPECT_EQ(CanSaturate(node, Quantized(weight), target), saturates)
          << layer.call;
    };
    expect(QuantizationTarget::kExact, false);
    expect(QuantizationTarget::kFbgemmVnni, layer.in_vnni);
    expect(QuantizationTarget::kFbgemmAvx2, layer.in_avx2);
    expect(QuantizationTarget::kOneDnnAvx2, layer.in_onednn);
  }
}

// 255 * (w + w) is beyond 32767 from w = 65 on.
TEST(LayerSaturationTest, SmallWeightsDoNot) {
  for (const float value : {64.0F, 65.0F}) {
    const at::Tensor weight = at::full({4, 8}, value);
    const ModelGraph model = Layer("torch.linear(x, self.weight)", weight);
    EXPECT_EQ(CanSaturate(*NodeOf(model.graph(), "aten::linear"),
                          Quantized(weight), QuantizationTarget::kFbgemmAvx2),
              value > 64);
  }
}

// 255 * 200 is beyond 32767, 255 * 100 is not.
TEST(LayerSaturationTest, OneDnnMayAddAnyTwoProducts) {
  const std::pair<std::vector<float>, bool> cases[] = {
      {{100, 0, 100, 0}, true},
      {{-100, 0, -100, 0}, true},
      {{64, 0, 64, 0}, false},
      {{-64, 0, -64, 0}, false},
      {{100, 0, -100, 0}, false}};
  for (const auto& [weights, saturates] : cases) {
    const at::Tensor row = at::tensor(weights).unsqueeze(0);
    const ModelGraph model = Layer("torch.linear(x, self.weight)", row);
    const torch::jit::Node& node = *NodeOf(model.graph(), "aten::linear");
    EXPECT_EQ(
        CanSaturate(node, Quantized(row), QuantizationTarget::kOneDnnAvx2),
        saturates)
        << row;
    EXPECT_FALSE(
        CanSaturate(node, Quantized(row), QuantizationTarget::kFbgemmAvx2));
  }
}

TEST(LayerSaturationTest, OneWeightAChannelDoesNot) {
  const at::Tensor weight = at::full({4, 1}, 127.0F);
  const ModelGraph model = Layer("torch.linear(x, self.weight)", weight);
  EXPECT_FALSE(CanSaturate(*NodeOf(model.graph(), "aten::linear"),
                           Quantized(weight), QuantizationTarget::kOneDnnAvx2));
}

}  // namespace
}  // namespace ns
