#include "ns/quantization/eager/layer_code.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

constexpr OutputQuantization kOutput = {0.5, 3, at::kQUInt8};

ModelGraph Convolution() {
  return OrThrow(
      ModelGraph::FromGraph(GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %ones : int[] = prim::Constant[value=[1, 1]]()
  %zeros : int[] = prim::Constant[value=[0, 0]]()
  %y : Tensor = aten::conv2d(%x, %w, %none, %ones, %zeros, %ones, %one)
  %r : Tensor = aten::relu(%y)
  return (%r))IR",
                                      {{"w", at::ones({2, 3, 1, 1})}})));
}

TEST(LayerCodeTest, AnActivationTakesAndGivesQuantizedTensors) {
  ModelGraph flat = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::hardswish(%x)
  return (%y))IR");
  NS_ASSERT_OK(QuantizeLayerCode({DefaultQConfig().weight, {}}, kOutput, flat,
                                 /*warnings=*/nullptr));
  ExpectShortIr(flat.graph(), R"(
%1 = quantized::hardswish(%0, 0.5, 3)
return (%1))");
}

TEST(LayerCodeTest, AConvolutionIsPackedWithItsRelu) {
  ModelGraph flat = Convolution();
  NS_ASSERT_OK(QuantizeLayerCode({DefaultQConfig().weight, {}}, kOutput, flat,
                                 /*warnings=*/nullptr));
  const std::string text = ShortIr(flat.graph());
  EXPECT_THAT(text, HasSubstr("= quantized::conv2d_relu(%0, "));
  EXPECT_THAT(text, HasSubstr(", 0.5, 3)\nreturn (%1)"));
}

TEST(LayerCodeTest, SizesMustBeNoneWhenItRuns) {
  ModelGraph flat = ModelOf(R"IR(
graph(%x : Tensor, %sizes : int[]?):
  %y : Tensor = aten::hardswish(%x)
  return (%y))IR");
  NS_ASSERT_OK(QuantizeLayerCode({DefaultQConfig().weight, {}}, kOutput, flat,
                                 /*warnings=*/nullptr));
  const at::Tensor x =
      at::quantize_per_tensor(at::ones({2}), 0.5, 0, at::kQUInt8);
  NS_EXPECT_OK(flat.Run({x, c10::IValue()}).status());
  EXPECT_THAT(MessageOf(flat.Run({x, std::vector<int64_t>{2}})),
              HasSubstr("a quantized module takes no sizes"));
}

TEST(LayerCodeTest, SaysWhatCannotBeQuantized) {
  const auto message = [](const char* text) {
    ModelGraph flat = ModelOf(text);
    return std::string(QuantizeLayerCode({DefaultQConfig().weight, {}}, kOutput,
                                         flat,
                                         /*warnings=*/nullptr)
                           .message());
  };
  EXPECT_THAT(message("graph():\n"
                      "  %x : int = prim::Constant[value=1]()\n"
                      "  return (%x)"),
              HasSubstr("it does not take a tensor"));
  EXPECT_THAT(message("graph(%x : Tensor):\n"
                      "  %y : Tensor = aten::log(%x)\n"
                      "  return (%y)"),
              HasSubstr("aten::log stays in float: "));
  EXPECT_THAT(message("graph(%x : Tensor):\n"
                      "  %y : Tensor = aten::hardswish(%x)\n"
                      "  %z : Tensor = aten::hardswish(%y)\n"
                      "  return (%z)"),
              HasSubstr("its code has 2 layers"));
}

TEST(LayerCodeTest, ADynamicLayerTakesAndGivesFloats) {
  ModelGraph flat =
      OrThrow(ModelGraph::FromGraph(GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor):
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::linear(%x, %w, %none)
  return (%y))IR",
                                              {{"w", at::ones({2, 3})}})));
  NS_ASSERT_OK(QuantizeDynamicCode(DefaultDynamicQConfig(), flat));
  EXPECT_THAT(ShortIr(flat.graph()),
              HasSubstr("= quantized::linear_dynamic(%0, "));
}

}  // namespace
}  // namespace ns
