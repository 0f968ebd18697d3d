#include "passes/rewrite/repack_layer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Node;

// Each output channel has the scale that its largest element needs.
at::Tensor ByChannel(const at::Tensor& weight) {
  const at::Tensor scales =
      weight.abs().flatten(1).amax(1).to(at::kDouble) / 127;
  return at::quantize_per_channel(
      weight, scales, at::zeros({weight.size(0)}, at::kLong), 0, at::kQInt8);
}

class RepackLayerTest : public EngineTest {
 protected:
  RepackLayerTest() { at::manual_seed(7); }

  // A model that calls quantized::`op` on a layer that `op`_prepack makes of
  // `arguments`.
  static ModelGraph Model(const std::string& op,
                          std::vector<c10::IValue> arguments) {
    return OrThrow(ModelGraph::FromModule(MakeModule(
        "Layer",
        "def forward(self, x: Tensor) -> Tensor:\n"
        "    return ops.quantized." +
            op + "(x, self.packed, 0.1, 60)\n",
        {{"packed",
          CallOp("quantized::" + op + "_prepack", std::move(arguments))}})));
  }

  // Fails the test unless a layer of `arguments`, of which the first two become
  // `changed`, is what RepackLayer makes of it.
  static void ExpectRepacked(const std::string& op,
                             std::vector<c10::IValue> arguments,
                             const LayerParameters& changed,
                             const at::Tensor& x) {
    ModelGraph model = Model(op, arguments);
    Node* const node = NodeOf(model.graph(), "quantized::" + op);
    const LayerParameters present = OrThrow(PackedParametersOf(*node));
    EXPECT_TRUE(present.weight.dequantize().equal(
        arguments[0].toTensor().dequantize()));
    EXPECT_TRUE(present.bias.equal(arguments[1].toTensor()));
    const c10::IValue packed = OrThrow(RepackLayer(*node, changed));
    arguments[0] = changed.weight;
    arguments[1] = changed.bias;
    ModelGraph expected = Model(op, arguments);
    const torch::jit::WithInsertPoint at(node);
    node->replaceInput(1, model.graph().insertConstant(packed));
    EXPECT_TRUE(at::equal(OrThrow(model.Run({x})).toTensor(),
                          OrThrow(expected.Run({x})).toTensor()));
  }
};

TEST_P(RepackLayerTest, LinearLayers) {
  const at::Tensor weight = at::randn({4, 6});
  ExpectRepacked(
      "linear", {QuantizeWeight(weight), at::randn({4})},
      {ByChannel(at::randn({4, 6})), at::randn({4})},
      at::quantize_per_tensor(at::randn({3, 6}), 0.05, 64, at::kQUInt8));
}

// All else stays: the convolution has a stride, padding, dilation and groups.
TEST_P(RepackLayerTest, Convolutions) {
  const auto weight = [] { return at::randn({4, 2, 3, 3}); };
  const std::vector<int64_t> stride = {2, 1};
  const std::vector<int64_t> padding = {1, 2};
  const std::vector<int64_t> dilation = {1, 2};
  ExpectRepacked(
      "conv2d",
      {QuantizeWeight(weight()), at::randn({4}), stride, padding, dilation,
       int64_t{2}},
      {ByChannel(weight()), at::randn({4}), /*groups=*/2},
      at::quantize_per_tensor(at::randn({2, 4, 9, 9}), 0.05, 64, at::kQUInt8));
}

TEST_P(RepackLayerTest, ConvolutionsOverOneDimension) {
  const std::vector<int64_t> stride = {2};
  const std::vector<int64_t> padding = {1};
  const std::vector<int64_t> dilation = {1};
  ExpectRepacked(
      "conv1d",
      {QuantizeWeight(at::randn({4, 3, 3})), at::randn({4}), stride, padding,
       dilation, int64_t{1}},
      {ByChannel(at::randn({4, 3, 3})), at::randn({4})},
      at::quantize_per_tensor(at::randn({2, 3, 9}), 0.05, 64, at::kQUInt8));
}

TEST_P(RepackLayerTest, TransposedConvolutions) {
  const std::vector<int64_t> stride = {2, 2};
  const std::vector<int64_t> padding = {1, 0};
  const std::vector<int64_t> output_padding = {0, 0};
  const std::vector<int64_t> dilation = {1, 1};
  ExpectRepacked(
      "conv_transpose2d",
      {QuantizeWeight(at::randn({3, 4, 3, 3})), at::randn({4}), stride, padding,
       output_padding, dilation, int64_t{1}},
      {QuantizeWeight(at::randn({3, 4, 3, 3})), at::randn({4})},
      at::quantize_per_tensor(at::randn({2, 3, 5, 5}), 0.05, 64, at::kQUInt8));
}

TEST_P(RepackLayerTest, OtherOpsAreRefused) {
  const ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  const Node& relu = *NodeOf(model.graph(), "aten::relu");
  EXPECT_THAT(PackedParametersOf(relu).status().message(),
              HasSubstr("no quantized linear layer or convolution"));
  EXPECT_FALSE(RepackLayer(relu, {}).ok());
}

TEST_P(RepackLayerTest, ALayerThatOnlyARunTellsIsRefused) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModule("Layer",
                 "def forward(self, x: Tensor, w: Tensor) -> Tensor:\n"
                 "    packed = ops.quantized.linear_prepack(w, None)\n"
                 "    return ops.quantized.linear(x, packed, 0.1, 60)\n")));
  EXPECT_THAT(PackedParametersOf(*NodeOf(model.graph(), "quantized::linear"))
                  .status()
                  .message(),
              HasSubstr("not constant"));
}

TEST_P(RepackLayerTest, AWeightThatIsNotQuantizedIsRefused) {
  const ModelGraph model =
      Model("linear", {QuantizeWeight(at::randn({4, 6})), at::randn({4})});
  EXPECT_FALSE(RepackLayer(*NodeOf(model.graph(), "quantized::linear"),
                           {at::randn({4, 6}), at::Tensor()})
                   .ok());
}

NS_INSTANTIATE_ON_ENGINES(RepackLayerTest);

}  // namespace
}  // namespace ns
