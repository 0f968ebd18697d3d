#include "passes/quantization/dynamic/quantize_dynamic.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/testing/engines.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Graph;
using ::torch::jit::Node;

QuantizeDynamic PassOf(const QConfigMapping& mapping,
                       QuantizationReport* report = nullptr,
                       bool reduce_range = true) {
  QuantizeDynamic::Options options;
  options.mapping = mapping;
  options.reduce_range = reduce_range;
  options.report = report;
  return QuantizeDynamic(std::move(options));
}

QConfigMapping Global(const QConfig& qconfig) {
  return QConfigMapping().SetGlobal(qconfig);
}

GraphConstants Constants() {
  at::manual_seed(11);
  return {{"w", at::randn({4, 4})},
          {"b", at::randn({4})},
          {"mean", at::randn({4})},
          {"variance", at::rand({4}) + 0.1},
          {"conv", at::randn({4, 2, 3, 3})},
          {"ones", std::vector<int64_t>{1, 1}},
          {"zeros", std::vector<int64_t>{0, 0}},
          {"none", c10::IValue()},
          {"yes", true},
          {"no", false},
          {"zero", 0},
          {"one", 1},
          {"two", 2},
          {"eps", 1e-5}};
}

// Fails the test unless the pass makes `expected`, a ShortIr, of `text`, and
// nothing else when it runs again. Returns the report of the first run.
QuantizationReport ExpectQuantized(const QConfigMapping& mapping,
                                   absl::string_view text,
                                   absl::string_view expected) {
  const auto graph = GraphWith(text, Constants());
  QuantizationReport report;
  EXPECT_TRUE(RunPass(PassOf(mapping, &report), graph).changed);
  ExpectShortIr(*graph, expected);
  EXPECT_FALSE(RunPass(PassOf(mapping), graph).changed);
  ExpectShortIr(*graph, expected);
  return report;
}

// Fails the test unless the pass leaves the graph as it is, and says so in a
// remark and in the report.
void ExpectStays(const QConfigMapping& mapping, absl::string_view text,
                 absl::string_view op, absl::string_view reason) {
  const auto graph = GraphWith(text, Constants());
  QuantizationReport report;
  const PassRun run = RunPass(PassOf(mapping, &report), graph);
  EXPECT_FALSE(run.changed);
  ASSERT_EQ(run.remarks.size(), 1);
  EXPECT_EQ(run.remarks[0].op, op);
  EXPECT_EQ(run.remarks[0].reason, reason);
  EXPECT_THAT(report.layers, IsEmpty());
  ASSERT_EQ(report.stayed_float.size(), 1);
  EXPECT_EQ(report.stayed_float[0].op, op);
  EXPECT_EQ(report.stayed_float[0].reason, reason);
}

// Fails the test unless the pass says nothing of the graph and leaves it as it
// is.
void ExpectIgnored(const QConfigMapping& mapping, absl::string_view text) {
  const auto graph = GraphWith(text, Constants());
  QuantizationReport report;
  const PassRun run = RunPass(PassOf(mapping, &report), graph);
  EXPECT_FALSE(run.changed);
  EXPECT_TRUE(run.remarks.empty());
  EXPECT_THAT(report.layers, IsEmpty());
  EXPECT_THAT(report.stayed_float, IsEmpty());
}

constexpr char kLinear[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR";

constexpr char kConv[] = R"IR(
graph(%x : Tensor, %conv : Tensor, %none : NoneType, %ones : int[], %zeros : int[], %one : int):
  %y : Tensor = aten::conv2d(%x, %conv, %none, %ones, %zeros, %ones, %one)
  return (%y))IR";

class QuantizeDynamicTest : public EngineTest {};
NS_INSTANTIATE_ON_ENGINES(QuantizeDynamicTest);

TEST_P(QuantizeDynamicTest, PacksLinears) {
  const QuantizationReport report =
      ExpectQuantized(DefaultDynamicMapping(), kLinear, R"(
%1 = quantized::linear_dynamic(%0, <Object>, True)
return (%1))");
  ASSERT_EQ(report.layers.size(), 1);
  const LayerQuantization& layer = report.layers[0];
  EXPECT_EQ(layer.name, "linear");
  EXPECT_EQ(layer.op, "aten::linear");
  EXPECT_EQ(layer.qconfig, "dynamic");
  EXPECT_EQ(layer.rule, "object type 'linear'");
  EXPECT_THAT(layer.inputs, IsEmpty());
  EXPECT_FALSE(layer.output);
  ASSERT_TRUE(layer.weight);
  EXPECT_EQ(layer.weight->scheme, "per_tensor_symmetric");
  EXPECT_EQ(layer.weight->scales.size(), 1);
}

TEST_P(QuantizeDynamicTest, TakesAScaleForEachChannel) {
  const QuantizationReport report =
      ExpectQuantized(Global(PerChannelDynamicQConfig()), kLinear, R"(
%1 = quantized::linear_dynamic(%0, <Object>, True)
return (%1))");
  EXPECT_EQ(report.layers[0].weight->scheme, "per_channel_symmetric");
  EXPECT_EQ(report.layers[0].weight->scales.size(), 4);
  EXPECT_EQ(report.layers[0].rule, "global");
}

TEST_P(QuantizeDynamicTest, ObeysTheQConfigThatReducesTheRange) {
  QConfig qconfig = DefaultDynamicQConfig();
  qconfig.activation.config.reduce_range = true;
  const auto graph = GraphWith(kLinear, Constants());
  EXPECT_TRUE(RunPass(PassOf(Global(qconfig), nullptr, false), graph).changed);
  ExpectShortIr(*graph, R"(
%1 = quantized::linear_dynamic(%0, <Object>, True)
return (%1))");
}

TEST_P(QuantizeDynamicTest, TakesWholeRangeWhenAsked) {
  const auto graph = GraphWith(kLinear, Constants());
  EXPECT_TRUE(
      RunPass(PassOf(DefaultDynamicMapping(), nullptr, false), graph).changed);
  ExpectShortIr(*graph, R"(
%1 = quantized::linear_dynamic(%0, <Object>, False)
return (%1))");
}

TEST_P(QuantizeDynamicTest, TakesReluIn) {
  for (const std::string relu : {"aten::relu", "aten::relu_"}) {
    ExpectQuantized(DefaultDynamicMapping(),
                    absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  %r : Tensor = )IR",
                                 relu, R"IR((%y)
  return (%r))IR"),
                    R"(
%1 = quantized::linear_relu_dynamic(%0, <Object>, True)
return (%1))");
  }
}

TEST_P(QuantizeDynamicTest, LeavesReluOfAValueThatIsUsedElsewhere) {
  ExpectQuantized(DefaultDynamicMapping(), R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  %r : Tensor = aten::relu(%y)
  return (%r, %y))IR",
                  R"(
%1 = quantized::linear_dynamic(%0, <Object>, True)
%2 = aten::relu(%1)
return (%2, %1))");
}

TEST_P(QuantizeDynamicTest, FoldsBatchNormsBefore) {
  ExpectQuantized(DefaultDynamicMapping(), R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %mean : Tensor, %variance : Tensor, %none : NoneType, %no : bool, %eps : float):
  %y : Tensor = aten::linear(%x, %w, %b)
  %n : Tensor = aten::batch_norm(%y, %none, %none, %mean, %variance, %no, %eps, %eps, %no)
  %r : Tensor = aten::relu(%n)
  return (%r))IR",
                  R"(
%1 = quantized::linear_relu_dynamic(%0, <Object>, True)
return (%1))");
}

TEST_P(QuantizeDynamicTest, EntersControlFlow) {
  ExpectQuantized(DefaultDynamicMapping(), R"IR(
graph(%x : Tensor, %p : bool, %n : int, %w : Tensor, %b : Tensor, %none : NoneType, %yes : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %l : Tensor = aten::linear(%x, %w, %b)
      %r : Tensor = aten::relu(%l)
      %t : Tensor = aten::tanh(%r)
      -> (%t)
    block1():
      -> (%x)
  %z : Tensor = prim::Loop(%n, %yes, %y)
    block0(%i : int, %v : Tensor):
      %u : Tensor = aten::rnn_tanh_cell(%x, %v, %w, %w, %none, %b)
      -> (%yes, %u)
  return (%z))IR",
                  R"(
%5 = prim::If(%1)
  then:
    %3 = quantized::linear_relu_dynamic(%0, <Object>, True)
    %4 = aten::tanh(%3)
    -> (%4)
  else:
    -> (%0)
%9 = prim::Loop(%2, True, %5)
  block(%6, %7):
    %8 = quantized::quantized_rnn_tanh_cell_dynamic(%0, %7, <Object>, <Object>, <Tensor>, <Tensor>)
    -> (True, %8)
return (%9))");
}

TEST_P(QuantizeDynamicTest, QuantizesAllFormsOfAnOpThatAnIfChooses) {
  const QuantizationReport report =
      ExpectQuantized(DefaultDynamicMapping(), R"IR(
graph(%x : Tensor, %p : bool, %w : Tensor, %b : Tensor):
  %y : Tensor = prim::If(%p)
    block0():
      %l : Tensor = aten::linear(%x, %w, %b)
      -> (%l)
    block1():
      %t : Tensor = aten::t(%x)
      %r : Tensor = aten::linear(%t, %w, %b)
      -> (%r)
  return (%y))IR",
                      R"(
%5 = prim::If(%1)
  then:
    %2 = quantized::linear_dynamic(%0, <Object>, True)
    -> (%2)
  else:
    %3 = aten::t(%0)
    %4 = quantized::linear_dynamic(%3, <Object>, True)
    -> (%4)
return (%5))");
  EXPECT_EQ(report.layers.size(), 1);
}

TEST_P(QuantizeDynamicTest, TellsOfTheFormOfAnOpThatStays) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %v : Float(4), %p : bool, %w : Tensor, %b : Tensor):
  %y : Tensor = prim::If(%p)
    block0():
      %l : Tensor = aten::linear(%x, %w, %b)
      -> (%l)
    block1():
      %r : Tensor = aten::linear(%v, %w, %b)
      -> (%r)
  return (%y))IR",
                               Constants());
  QuantizationReport report;
  const PassRun run = RunPass(PassOf(DefaultDynamicMapping(), &report), graph);
  ASSERT_EQ(run.remarks.size(), 1);
  EXPECT_EQ(run.remarks[0].reason,
            "its input is a vector; its kernel takes matrices");
  EXPECT_THAT(report.layers, IsEmpty());
  EXPECT_EQ(report.stayed_float.size(), 1);
  EXPECT_EQ(NodesOf(*graph, "aten::linear").size(), 1);
}

TEST_P(QuantizeDynamicTest, SharesThePackedConstantOfALayerThatIsCalledTwice) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  %z : Tensor = aten::linear(%y, %w, %b)
  return (%z))IR",
                               Constants());
  QuantizationReport report;
  RunPass(PassOf(DefaultDynamicMapping(), &report), graph);
  const auto calls = NodesOf(*graph, "quantized::linear_dynamic");
  ASSERT_EQ(calls.size(), 2);
  EXPECT_EQ(calls[0]->input(1), calls[1]->input(1));
  // The float weights are gone.
  EXPECT_EQ(absl::c_count_if(
                NodesOf(*graph, "prim::Constant"),
                [](const Node* node) { return IsTensor(*node->output()); }),
            0);
  EXPECT_EQ(report.layers[0].name, "linear");
  EXPECT_EQ(report.layers[1].name, "linear@1");
}

// LibTorch's onednn keeps the relu of the first call in the packed object.
TEST_P(QuantizeDynamicTest, CallsWithAndWithoutReluDoNotShareAConstant) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  %r : Tensor = aten::relu(%y)
  %z : Tensor = aten::linear(%r, %w, %b)
  %s : Tensor = aten::relu(%z)
  %u : Tensor = aten::linear(%s, %w, %b)
  return (%u))IR",
                               Constants());
  RunPass(PassOf(DefaultDynamicMapping()), graph);
  const auto with_relu = NodesOf(*graph, "quantized::linear_relu_dynamic");
  const auto without = NodesOf(*graph, "quantized::linear_dynamic");
  ASSERT_EQ(with_relu.size(), 2);
  ASSERT_EQ(without.size(), 1);
  EXPECT_EQ(with_relu[0]->input(1), with_relu[1]->input(1));
  EXPECT_NE(with_relu[0]->input(1), without[0]->input(1));
}

TEST_P(QuantizeDynamicTest, KeepsNamesPathsAndListeners) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"fc", Linear(at::randn({3, 4}))}},
                {"y = self.fc.forward(x)", "r = torch.relu(y)", "return r"})));
  const std::string output = model.graph().outputs()[0]->debugName();
  PassContext context;
  std::vector<std::string> replaced;
  const ScopedReplacementListener listener(
      context, [&](const torch::jit::Value& old, torch::jit::Value& now) {
        replaced.push_back(
            absl::StrCat(OpName(*old.node()), " ", OpName(*now.node())));
      });
  EXPECT_TRUE(OrThrow(PassOf(DefaultDynamicMapping()).Run(model, context)));
  EXPECT_THAT(replaced,
              ElementsAre("aten::relu quantized::linear_relu_dynamic",
                          "aten::linear quantized::linear_relu_dynamic"));
  const Node* node = NodeOf(model.graph(), "quantized::linear_relu_dynamic");
  EXPECT_EQ(ModulePathOf(*node).fqn, "fc");
  EXPECT_EQ(node->output()->debugName(), output);
}

TEST_P(QuantizeDynamicTest, DropsTheBitsOfHalfPrecision) {
  const QConfig qconfig = Float16DynamicQConfig();
  const auto graph = GraphWith(kLinear, Constants());
  QuantizationReport report;
  EXPECT_TRUE(RunPass(PassOf(Global(qconfig), &report), graph).changed);
  const Node* linear = NodeOf(*graph, "aten::linear");
  EXPECT_TRUE(
      ConstantOf(*linear->input(1))
          ->toTensor()
          .equal(Constants().at("w").toTensor().to(at::kHalf).to(at::kFloat)));
  ASSERT_EQ(report.layers.size(), 1);
  EXPECT_EQ(report.layers[0].weight->scheme, "float16");
  EXPECT_FALSE(RunPass(PassOf(Global(qconfig)), graph).changed);
}

TEST_P(QuantizeDynamicTest, RoundsWeightsAlone) {
  ExpectQuantized(Global(Int4WeightsQConfig()), kConv, R"(
%1 = aten::dequantize(<Tensor>)
%2 = aten::conv2d(%0, %1, None, [1, 1], [0, 0], [1, 1], 1)
return (%2))");
}

TEST_P(QuantizeDynamicTest, RoundsWeightsWithTheirBatchNorm) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %mean : Tensor, %variance : Tensor, %none : NoneType, %no : bool, %eps : float):
  %y : Tensor = aten::linear(%x, %w, %b)
  %n : Tensor = aten::batch_norm(%y, %none, %none, %mean, %variance, %no, %eps, %eps, %no)
  return (%n))IR",
                               Constants());
  RunPass(PassOf(Global(Int4WeightsQConfig())), graph);
  ExpectShortIr(*graph, R"(
%1 = aten::dequantize(<Tensor>)
%2 = aten::linear(%0, %1, <Tensor>)
return (%2))");
}

TEST_P(QuantizeDynamicTest, PacksEmbeddings) {
  constexpr char kText[] = R"IR(
graph(%i : Tensor, %o : Tensor, %w : Tensor, %zero : int, %no : bool, %none : NoneType):
  %y : Tensor = aten::embedding(%w, %i, %zero, %no, %no)
  %s : Tensor, %l : Tensor, %m : Tensor, %n : Tensor = aten::embedding_bag(%w, %i, %o, %no, %zero, %no, %none, %no)
  return (%y, %s))IR";
  const QuantizationReport report =
      ExpectQuantized(DefaultDynamicMapping(), kText, R"(
%2 = aten::contiguous(%0, 0)
%3 = quantized::embedding_byte(<Object>, %2, False)
%4 = aten::contiguous(%0, 0)
%5 = aten::contiguous(%1, 0)
%6 = quantized::embedding_bag_byte(<Object>, %4, %5, False, 0, False, None, None, False)
return (%3, %6))");
  EXPECT_EQ(report.layers[0].weight->scheme,
            "per_channel_affine_float_qparams");
  EXPECT_EQ(report.layers[0].weight->scales.size(), 4);
  ExpectQuantized(Global(FloatQParamsWeightOnlyQConfig4Bit()), kText, R"(
%2 = aten::contiguous(%0, 0)
%3 = quantized::embedding_4bit(<Object>, %2, False)
%4 = aten::contiguous(%0, 0)
%5 = aten::contiguous(%1, 0)
%6 = quantized::embedding_bag_4bit(<Object>, %4, %5, False, 0, False, None, None, False)
return (%3, %6))");
}

TEST_P(QuantizeDynamicTest, KeepsEmbeddingsWithoutFloatZeroPoints) {
  ExpectStays(Global(Int4WeightsQConfig()), R"IR(
graph(%i : Tensor, %w : Tensor, %zero : int, %no : bool):
  %y : Tensor = aten::embedding(%w, %i, %zero, %no, %no)
  return (%y))IR",
              "aten::embedding",
              "its weight has quantized values of type QInt8; quantized "
              "embeddings take QUInt8 and QUInt4x2");
}

TEST_P(QuantizeDynamicTest, KeepsBagsThatTakeTheMaximum) {
  ExpectStays(DefaultDynamicMapping(), R"IR(
graph(%i : Tensor, %o : Tensor, %w : Tensor, %two : int, %no : bool, %none : NoneType):
  %s : Tensor, %l : Tensor, %m : Tensor, %n : Tensor = aten::embedding_bag(%w, %i, %o, %no, %two, %no, %none, %no)
  return (%s))IR",
              "aten::embedding_bag",
              "it takes the maximum of its rows; its kernel adds them up");
}

TEST_P(QuantizeDynamicTest, KeepsLayersWithoutADynamicForm) {
  ExpectStays(Global(DynamicQConfig()), kConv, "aten::conv2d",
              "it has no dynamically quantized form");
}

TEST_P(QuantizeDynamicTest, KeepsTheBatchNormsOfLayersThatItKeeps) {
  ExpectStays(Global(DynamicQConfig()), R"IR(
graph(%x : Tensor, %conv : Tensor, %b : Tensor, %ones : int[], %zeros : int[], %two : int, %mean : Tensor, %variance : Tensor, %none : NoneType, %no : bool, %eps : float):
  %y : Tensor = aten::conv2d(%x, %conv, %b, %ones, %zeros, %ones, %two)
  %n : Tensor = aten::batch_norm(%y, %none, %none, %mean, %variance, %no, %eps, %eps, %no)
  return (%n))IR",
              "aten::conv2d", "it has no dynamically quantized form");
}

TEST_P(QuantizeDynamicTest, KeepsLayersWhoseWeightIsNotConstant) {
  ExpectStays(DefaultDynamicMapping(), R"IR(
graph(%x : Tensor, %v : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %v, %b)
  return (%y))IR",
              "aten::linear", "its weight is not constant");
}

TEST_P(QuantizeDynamicTest, KeepsLayersWhoseWeightIsWrittenTo) {
  ExpectStays(DefaultDynamicMapping(), R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %one : int):
  %v : Tensor = aten::add_(%w, %w, %one)
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR",
              "aten::linear", "an op in place writes to its weight");
}

TEST_P(QuantizeDynamicTest, KeepsLayersWhoseQConfigLeavesTheWeightInFloat) {
  QConfig qconfig = DynamicQConfig();
  qconfig.weight = PlaceholderSpec();
  const auto graph = GraphWith(kLinear, Constants());
  const PassRun run = RunPass(PassOf(Global(qconfig)), graph);
  EXPECT_FALSE(run.changed);
  ASSERT_EQ(run.remarks.size(), 1);
  EXPECT_THAT(run.remarks[0].reason,
              testing::StartsWith("its weight cannot be quantized: "));
}

TEST_P(QuantizeDynamicTest, LeavesOtherQConfigsToOtherPasses) {
  ExpectIgnored(Global(Int8PerChannelQConfig()), kLinear);
  ExpectIgnored(Global(QConfig()), kLinear);
  ExpectIgnored(QConfigMapping(), kLinear);
  ExpectIgnored(DefaultDynamicMapping().SetModuleName("", std::nullopt),
                kLinear);
}

TEST_P(QuantizeDynamicTest, LeavesOpsWithoutWeightsToWeightOnlyQConfigs) {
  constexpr char kNorm[] = R"IR(
graph(%x : Tensor, %shape : int[], %b : Tensor, %eps : float, %no : bool):
  %y : Tensor = aten::layer_norm(%x, %shape, %b, %b, %eps, %no)
  %r : Tensor = aten::relu(%y)
  return (%r))IR";
  ExpectIgnored(Global(Int4WeightsQConfig()), kNorm);
  ExpectIgnored(Global(Float16DynamicQConfig()), kNorm);
}

TEST_P(QuantizeDynamicTest, WarnsThatActivationsStayFloat) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  %z : Tensor = aten::linear(%y, %w, %b)
  return (%z))IR",
                               Constants());
  QuantizationReport report;
  RunPass(PassOf(Global(Float16StaticQConfig()), &report), graph);
  EXPECT_THAT(report.warnings,
              ElementsAre("qconfig 'fp16': activations stay in float32; only "
                          "weights are rounded to half precision"));
}

TEST(QuantizeDynamicErrorsTest, InvalidMappingIsAnError) {
  ModelGraph model = ModelGraph::AroundGraph(GraphWith(kLinear, Constants()));
  PassContext context;
  EXPECT_FALSE(
      PassOf(QConfigMapping().SetModuleNameRegex("(", DynamicQConfig()))
          .Run(model, context)
          .ok());
}

}  // namespace
}  // namespace ns
