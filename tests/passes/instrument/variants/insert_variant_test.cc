#include "passes/instrument/variants/insert_variant.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "ir/graph/verifier.h"
#include "ir/model/attach_attribute.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/activation_quantizer.h"
#include "passes/runtime/observers/fake_quantize_weight.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/paired.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kAddRelu[] = R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=0]()
  %s : Tensor = quantized::add(%x, %y, %scale, %zero_point)
  %r : Tensor = aten::relu(%s)
  return (%r))IR";

// The nodes from the first op `first` to the first op `last`, of which `first`
// is the base.
Subgraph Layer(const ModelGraph& model, absl::string_view first,
               absl::string_view last) {
  Subgraph subgraph;
  subgraph.start = subgraph.base = NodeOf(model.graph(), first);
  subgraph.end = NodeOf(model.graph(), last);
  subgraph.nodes = {subgraph.start};
  if (subgraph.end != subgraph.start) {
    subgraph.nodes.push_back(subgraph.end);
  }
  return subgraph;
}

Subgraph AddAndRelu(const ModelGraph& model) {
  return Layer(model, "quantized::add", "aten::relu");
}

absl::StatusOr<CopiedSubgraph> Insert(ModelGraph& model,
                                      const Subgraph& subgraph,
                                      const LayerVariant& variant) {
  return InsertVariant(model, subgraph, *subgraph.end->output(), subgraph.start,
                       variant);
}

// Inserts `variant` before `subgraph` as a second output of `model`, which must
// then be `text`.
void ExpectVariant(ModelGraph& model, const Subgraph& subgraph,
                   const LayerVariant& variant, absl::string_view text) {
  model.graph().registerOutput(
      OrThrow(Insert(model, subgraph, variant)).output);
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  ExpectShortIr(model.graph(), text);
}

void ExpectUntouched(ModelGraph& model, const Subgraph& subgraph,
                     const LayerVariant& variant) {
  const std::string before = ShortIr(model.graph());
  EXPECT_FALSE(Insert(model, subgraph, variant).ok());
  EXPECT_EQ(ShortIr(model.graph()), before);
}

TEST(InsertVariantTest, WithoutChangesItIsAPlainCopy) {
  ModelGraph model = ModelOf(kAddRelu);
  ExpectVariant(model, AddAndRelu(model), {}, R"IR(
%2 = quantized::add(%0, %1, 0.5, 0)
%3 = aten::relu(%2)
%4 = quantized::add(%0, %1, 0.5, 0)
%5 = aten::relu(%4)
return (%5, %3))IR");
}

TEST(InsertVariantTest, TheBaseOpGetsTheConstants) {
  ModelGraph model = ModelOf(kAddRelu);
  LayerVariant variant;
  variant.constants = {{2, 0.25}, {3, 7}};
  ExpectVariant(model, AddAndRelu(model), variant, R"IR(
%2 = quantized::add(%0, %1, 0.25, 7)
%3 = aten::relu(%2)
%4 = quantized::add(%0, %1, 0.5, 0)
%5 = aten::relu(%4)
return (%5, %3))IR");
}

constexpr char kFloatAdd[] = R"IR(
graph(%x : Tensor, %y : Tensor, %reduce : bool):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = aten::add(%x, %y, %one)
  return (%s))IR";

TEST(InsertVariantTest, InputsAreRoundedEachInItsWay) {
  ModelGraph model = ModelOf(kFloatAdd);
  LayerVariant variant;
  variant.inputs = {GridRounding{{0.5, 2}, 0, 15},
                    DynamicOpRounding{model.graph().inputs()[3]}};
  ExpectVariant(model, Layer(model, "aten::add", "aten::add"), variant, R"IR(
%3 = aten::mul(%0, 2)
%4 = aten::round_(%3)
%5 = aten::clamp_(%4, -2, 13)
%6 = aten::mul_(%5, 0.5)
%7 = ns::quantize_dynamic(%1, %2)
%8 = ns::as_float(%7)
%9 = aten::add(%6, %8, 1)
%10 = aten::add(%0, %1, 1)
return (%10, %9))IR");
}

TEST(InsertVariantTest, InputsWithoutARoundingStay) {
  ModelGraph model = ModelOf(kFloatAdd);
  LayerVariant variant;
  variant.inputs = {std::monostate()};
  ExpectVariant(model, Layer(model, "aten::add", "aten::add"), variant, R"IR(
%3 = aten::add(%0, %1, 1)
%4 = aten::add(%0, %1, 1)
return (%4, %3))IR");
}

TEST(InsertVariantTest, AnObjectOfTheModelRounds) {
  ModelGraph model = ModelOf(kFloatAdd);
  LayerVariant variant;
  variant.inputs = {MethodRounding{
      AttachAttribute(model.module(), "quantizer_",
                      OrThrow(MakeActivationQuantizer(ObserverConfig())))}};
  ExpectVariant(model, Layer(model, "aten::add", "aten::add"), variant, R"IR(
%3 = self.quantizer_0.forward(%0)
%4 = aten::add(%3, %1, 1)
%5 = aten::add(%0, %1, 1)
return (%5, %4))IR");
}

// A linear layer, and what changes of its weight compute.
class InsertVariantOfLinearTest : public testing::Test {
 protected:
  InsertVariantOfLinearTest() {
    at::manual_seed(7);
    weight_ = at::randn({4, 3});
    x_ = at::randn({5, 3});
    model_ = ModelOfModule(
        MakeModel({{"fc", Linear(weight_)}}, {"return self.fc.forward(x)"}));
    layer_ = Layer(model_, "aten::linear", "aten::linear");
  }

  // The outputs of the layer, and of its variant.
  void ExpectOutputs(const LayerVariant& variant, const at::Tensor& weight) {
    model_.graph().registerOutput(
        OrThrow(Insert(model_, layer_, variant)).output);
    NS_EXPECT_OK(VerifyGraph(model_.graph()));
    torch::jit::Graph& graph = model_.graph();
    Node* const both = graph.createTuple(graph.outputs());
    both->insertBefore(graph.return_node());
    graph.eraseOutput(1);
    graph.return_node()->replaceInput(0, both->output());
    ExpectEqualValues(OrThrow(model_.Run({x_})),
                      c10::ivalue::Tuple::create(
                          {at::linear(x_, weight_), at::linear(x_, weight)}));
  }

  at::Tensor weight_;
  at::Tensor x_;
  ModelGraph model_ = ModelOf("graph():\n  return ()");
  Subgraph layer_;
};

TEST_F(InsertVariantOfLinearTest, TensorsAreReplacedInTheCopyAlone) {
  const at::Tensor other = at::randn({4, 3});
  LayerVariant variant;
  variant.tensors = {{weight_, other}};
  ExpectOutputs(variant, other);
}

TEST_F(InsertVariantOfLinearTest, WeightsAreQuantizedInTheCopyAlone) {
  LayerVariant variant;
  variant.weights = Int8PerTensorQConfig().weight;
  ExpectOutputs(variant, FakeQuantizeWeight(weight_, variant.weights->config));
}

TEST_F(InsertVariantOfLinearTest, OtherTensorsAreRefused) {
  LayerVariant variant;
  variant.tensors = {{weight_.clone(), weight_}};
  ExpectUntouched(model_, layer_, variant);
}

TEST_F(InsertVariantOfLinearTest, WeightsThatCannotBeQuantizedAreAnError) {
  LayerVariant variant;
  variant.weights = SpecOf(ObserverKind::kRecording);
  variant.inputs = {GridRounding()};
  ExpectUntouched(model_, layer_, variant);
}

TEST(InsertVariantTest, ALayerOfAnotherModelTakesTheGivenInputs) {
  const ModelGraph source = ModelOf(kAddRelu);
  ModelGraph host = ModelOf(R"IR(
graph(%z : Tensor):
  return (%z))IR");
  const Subgraph layer = AddAndRelu(source);
  Value* const z = host.graph().inputs()[1];
  LayerVariant variant;
  variant.inputs = {std::monostate(), GridRounding{{2, 0}, 0, 255}};
  variant.constants = {{3, 7}};
  const CopiedSubgraph copy =
      OrThrow(InsertVariant(source, layer, *layer.end->output(), {z, z}, host,
                            host.graph().return_node(), variant));
  host.graph().registerOutput(copy.output);
  NS_EXPECT_OK(VerifyGraph(host.graph()));
  EXPECT_EQ(copy.subgraph.nodes.size(), 2);
  ExpectShortIr(host.graph(), R"IR(
%1 = aten::mul(%0, 0.5)
%2 = aten::round_(%1)
%3 = aten::clamp_(%2, 0, 255)
%4 = aten::mul_(%3, 2)
%5 = quantized::add(%0, %4, 0.5, 7)
%6 = aten::relu(%5)
return (%0, %6))IR");
}

constexpr char kReluInIf[] = R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::relu(%x)
      -> (%b)
  return (%y))IR";

Subgraph ReluInIf(const ModelGraph& model) {
  Subgraph subgraph = Layer(model, "prim::If", "prim::If");
  subgraph.base = NodeOf(model.graph(), "aten::relu");
  return subgraph;
}

// The op in the other arm would keep its own.
TEST(InsertVariantTest, ABaseOpInControlFlowGetsNoConstants) {
  ModelGraph model = ModelOf(kReluInIf);
  LayerVariant variant;
  variant.constants = {{0, 1}};
  ExpectUntouched(model, ReluInIf(model), variant);
}

TEST(InsertVariantTest, ALayerThatCannotBeCopiedIsRefused) {
  ModelGraph model = ModelOf(kReluInIf);
  LayerVariant variant;
  variant.inputs = {GridRounding()};
  // Its condition is an input of the model.
  ExpectUntouched(model, ReluInIf(model), variant);
  EXPECT_TRUE(IsRefusal(Insert(model, ReluInIf(model), variant).status()));
}

TEST(InsertVariantTest, AMissingInputOfTheOpIsAnError) {
  ModelGraph model = ModelOf(kAddRelu);
  LayerVariant variant;
  variant.constants = {{9, 0.25}};
  ExpectUntouched(model, AddAndRelu(model), variant);
}

TEST(InsertVariantTest, AMissingObjectIsAnErrorAfterAnInputThatIsRounded) {
  ModelGraph model = ModelOf(kFloatAdd);
  LayerVariant variant;
  variant.inputs = {GridRounding(), MethodRounding{"nowhere"}};
  ExpectUntouched(model, Layer(model, "aten::add", "aten::add"), variant);
}

}  // namespace
}  // namespace ns
