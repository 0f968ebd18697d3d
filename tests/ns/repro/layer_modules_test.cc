#include "ns/repro/layer_modules.h"

#include <ATen/Functions.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "tests/ns/repro/layer_repro_fixture.h"
#include "tests/testing/modules.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using LayerModulesTest = LayerReproTest;

TEST_F(LayerModulesTest, CutsBothSubgraphsOut) {
  LayerModules layers = OrThrow(ExtractLayer(a_, b_, Match("conv")));
  ExpectShortIr(layers.quantized_layer.graph(), R"(
%1 = quantized::conv2d_relu(%0, <Object>, 0.05, 64)
return (%1))");
  ExpectShortIr(layers.float_layer.graph(), R"(
%1 = ns::as_float(%0)
%2 = aten::conv2d(%1, <Tensor>, None, [1, 1], [0, 0], [1, 1], 1)
%3 = aten::relu(%2)
return (%3))");
}

TEST_F(LayerModulesTest, ALayerHasNoParametersOfTheOther) {
  ModelGraphOptions options;
  options.freeze = false;
  const ModelGraph b = OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()}, {"conv", QuantizedConv2d(conv_, true)}},
                {"return self.conv.forward(self.quant.forward(x))"}),
      options));
  const MatchResult matches = OrThrow(MatchSubgraphs(a_, b));
  const size_t conv = OrThrow(FindMatchByName(matches, "conv"));
  LayerModules layers = OrThrow(ExtractLayer(a_, b, matches.matches[conv]));
  EXPECT_TRUE(layers.quantized_layer.module().hasattr("ns_copied_0"));
  EXPECT_FALSE(layers.float_layer.module().hasattr("ns_copied_0"));
}

TEST_F(LayerModulesTest, LayersTakePlainTensors) {
  LayerModules layers = OrThrow(ExtractLayer(a_, b_, Match("conv")));
  const at::Tensor q = QuantizedInput(at::randn({2, 3, 8, 8}));
  const std::vector<at::Tensor> plain = OrThrow(TakePlainInputs({q}, layers));
  ASSERT_THAT(plain, SizeIs(1));
  EXPECT_TRUE(plain[0].equal(q.dequantize()));
  ExpectShortIr(layers.quantized_layer.graph(), R"(
%1 = aten::quantize_per_tensor(%0, 0.05, 64, 13)
%2 = quantized::conv2d_relu(%1, <Object>, 0.05, 64)
return (%2))");
  ExpectShortIr(layers.float_layer.graph(), R"(
%1 = aten::conv2d(%0, <Tensor>, None, [1, 1], [0, 0], [1, 1], 1)
%2 = aten::relu(%1)
return (%2))");
}

TEST_F(LayerModulesTest, LayersThatWorkInPlaceTakePlainTensors) {
  const ModelGraph a = ModelOfSource(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "    return torch.relu(x)\n");
  const ModelGraph b = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"quant", Quantize()}}, {"return torch.relu_(self.quant.forward(x))"})));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  const size_t relu = OrThrow(FindMatchByName(matches, "relu"));
  LayerModules layers = OrThrow(ExtractLayer(a, b, matches.matches[relu]));
  EXPECT_THAT(layers.quantized_layer.graph().toString(),
              HasSubstr("aten::relu_"));
  const at::Tensor q = QuantizedInput(at::randn({2, 3, 8, 8}));
  const at::Tensor x = OrThrow(TakePlainInputs({q}, layers)).at(0);
  EXPECT_TRUE(x.equal(q.dequantize()));
  EXPECT_TRUE(OrThrow(layers.float_layer.Run({x})).toTensor().equal(x.relu()));
}

TEST_F(LayerModulesTest, ALayerInHalfPrecisionTakesFloats) {
  for (const auto& [dtype, number] :
       {std::pair(at::kHalf, "5"), {at::kBFloat16, "15"}}) {
    const ModelGraph a = ModelOfSource(
        "def forward(self, x: Tensor) -> Tensor:\n"
        "    return torch.tanh(x)\n");
    const ModelGraph b =
        ModelOfSource(absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n"
                                   "    return torch.tanh(x.to(",
                                   number, "))\n"));
    const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
    ASSERT_THAT(matches.matches, SizeIs(1));
    LayerModules layers = OrThrow(ExtractLayer(a, b, matches.matches[0]));
    const at::Tensor half = at::randn({2, 3}).to(dtype);
    const std::vector<at::Tensor> plain =
        OrThrow(TakePlainInputs({half}, layers));
    ASSERT_THAT(plain, SizeIs(1));
    EXPECT_TRUE(plain[0].equal(half.to(at::kFloat)));
    ExpectShortIr(layers.quantized_layer.graph(),
                  absl::StrCat("\n%1 = aten::to(%0, ", number,
                               ", False, False, None)\n"
                               "%2 = aten::tanh(%1)\nreturn (%2)"));
    ExpectShortIr(layers.float_layer.graph(), R"(
%1 = aten::tanh(%0)
return (%1))");
  }
}

TEST_F(LayerModulesTest, ALayerInALoopCannotStandAlone) {
  const ModelGraph a = ModelOfSource(WithScale(kLoop, "1.0"));
  const ModelGraph b = ModelOfSource(WithScale(kLoop, "1.1"));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  ASSERT_FALSE(matches.matches.empty());
  const auto layers = ExtractLayer(a, b, matches.matches[0]);
  EXPECT_TRUE(IsRefusal(layers.status()));
  EXPECT_THAT(MessageOf(layers), HasSubstr("inside a loop"));
}

}  // namespace
}  // namespace ns
