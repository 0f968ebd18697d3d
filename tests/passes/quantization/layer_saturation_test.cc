#include "passes/quantization/layer_saturation.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::ns::kernels::SaturationMode;

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
};

TEST(LayerSaturationTest, TheKernelTells) {
  const std::string plain = "torch.conv2d(x, self.weight, None, [1, 1], ";
  const LayerCase cases[] = {
      {"torch.linear(x, self.weight)", {4, 8}, false, true},
      {plain + "[1, 1], [1, 1], 1)", {16, 16, 3, 3}, false, true},
      {plain + "[1, 1], [1, 1], 16)", {16, 1, 3, 3}, true, true},
      {"torch.conv3d(x, self.weight, None, [1, 1, 1], [1, 1, 1], [1, 1, 1], "
       "16)",
       {16, 1, 3, 3, 3},
       true,
       true},
      // fbgemm's depthwise kernels take no depth of 1.
      {"torch.conv3d(x, self.weight, None, [1, 1, 1], [0, 1, 1], [1, 1, 1], "
       "16)",
       {16, 1, 1, 3, 3},
       false,
       true},
      // Only a run tells how it is padded: the worst is assumed.
      {plain + "'same', [1, 1], 16)", {16, 1, 3, 3}, true, true},
      {"torch.conv_transpose2d(x, self.weight)", {16, 4, 3, 3}, false, true},
  };
  for (const LayerCase& layer : cases) {
    const at::Tensor weight = at::full(layer.sizes, 100.0F);
    const ModelGraph model = Layer(layer.call, weight);
    const std::string op = layer.call.substr(6, layer.call.find('(') - 6);
    const torch::jit::Node& node =
        *NodeOf(model.graph(), absl::StrCat("aten::", op));
    const auto expect = [&](SaturationMode mode, bool saturates) {
      EXPECT_EQ(HasSaturatingKernel(node, mode), saturates) << layer.call;
      EXPECT_EQ(CanSaturate(node, Quantized(weight), mode), saturates)
          << layer.call;
    };
    expect(SaturationMode::kExact, false);
    expect(SaturationMode::kFbgemmVnni, layer.in_vnni);
    expect(SaturationMode::kFbgemmAvx2, layer.in_avx2);
  }
}

// 255 * (w + w) is beyond 32767 from w = 65 on.
TEST(LayerSaturationTest, SmallWeightsDoNot) {
  for (const float value : {64.0F, 65.0F}) {
    const at::Tensor weight = at::full({4, 8}, value);
    const ModelGraph model = Layer("torch.linear(x, self.weight)", weight);
    EXPECT_EQ(CanSaturate(*NodeOf(model.graph(), "aten::linear"),
                          Quantized(weight), SaturationMode::kFbgemmAvx2),
              value > 64);
  }
}

}  // namespace
}  // namespace ns
