#include "passes/quantization/layer_site.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <limits>

#include "gtest/gtest.h"
#include "ir/refusal.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kLinear[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : NoneType):
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR";

class LayerSiteTest : public testing::Test {
 protected:
  LayerSite SiteIn(Graph& graph, SharedConstants& constants,
                   const TensorWrites* writes = nullptr) {
    return {NodeOf(graph, "aten::linear"),
            "linear",
            spec_,
            false,
            true,
            constants,
            writes};
  }

  const ObserverSpec spec_ = DynamicQConfig().weight;
};

TEST_F(LayerSiteTest, FindsArgumentsByName) {
  const auto graph = GraphOf(kLinear);
  EXPECT_EQ(ArgumentIndex(*NodeOf(*graph, "aten::linear"), "bias"), 2);
}

TEST_F(LayerSiteTest, ReadsConstants) {
  const at::Tensor weight = at::ones({2, 2}).requires_grad_();
  const auto graph =
      GraphWith(kLinear, {{"w", weight.detach()}, {"b", c10::IValue()}});
  SharedConstants constants(*graph);
  const LayerSite site = SiteIn(*graph, constants);
  EXPECT_TRUE(OrThrow(ConstantArgument(site, 1, "its weight")).equal(weight));
  EXPECT_FALSE(OrThrow(ConstantArgument(site, 2, "its bias")).defined());
  EXPECT_EQ(MessageOf(ConstantArgument(site, 0, "its input")),
            "its input is not constant");
}

TEST_F(LayerSiteTest, RefusesDequantizedWeights) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %q : Tensor, %b : NoneType):
  %w : Tensor = aten::dequantize(%q)
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR");
  SharedConstants constants(*graph);
  EXPECT_EQ(
      MessageOf(ConstantArgument(SiteIn(*graph, constants), 1, "its weight")),
      "its weight is quantized already");
}

TEST_F(LayerSiteTest, RefusesConstantsThatAreWrittenTo) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor, %b : NoneType):
  %r : Tensor = aten::relu_(%w)
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR",
                               {{"w", at::ones({2, 2})}});
  SharedConstants constants(*graph);
  const TensorWrites writes(*graph);
  EXPECT_EQ(MessageOf(ConstantArgument(SiteIn(*graph, constants, &writes), 1,
                                       "its weight")),
            "an op in place writes to its weight");
}

TEST_F(LayerSiteTest, ReadsListsOfConstants) {
  const at::Tensor a = at::ones({2});
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %a : Tensor, %list : Tensor[]):
  %own : Tensor[] = prim::ListConstruct(%a, %a)
  %other : Tensor[] = prim::ListConstruct(%a, %x)
  %y : Tensor = aten::cat(%own, %list)
  return (%y))IR",
                               {{"a", a}});
  SharedConstants constants(*graph);
  Node* cat = NodeOf(*graph, "aten::cat");
  const LayerSite site = {cat, "cat", spec_, false, true, constants, nullptr};
  std::vector<ConstantElement> elements = OrThrow(ConstantElements(site, 0));
  ASSERT_EQ(elements.size(), 2);
  EXPECT_TRUE(elements[1].tensor.equal(a));
  EXPECT_EQ(elements[1].value, cat->input(0)->node()->input(1));
  EXPECT_EQ(MessageOf(ConstantElements(site, 1)),
            "its parameters are not constant");
  cat->replaceInput(0, NodeOf(*graph, "prim::ListConstruct", 1)->output());
  EXPECT_EQ(MessageOf(ConstantElements(site, 0)),
            "a parameter of it is not constant");
  const torch::jit::WithInsertPoint in_front(cat);
  Value* list = graph->insertConstant(std::vector<at::Tensor>{a, a, a});
  cat->replaceInput(0, list);
  elements = OrThrow(ConstantElements(site, 0));
  ASSERT_EQ(elements.size(), 3);
  EXPECT_EQ(elements[2].value, nullptr);
  EXPECT_EQ(elements[2].named, list);
}

TEST_F(LayerSiteTest, QuantizesAsPyTorchDoes) {
  const at::Tensor weight = at::tensor({-1.0F, 0.3F, 0.51F}).reshape({1, 3});
  const at::Tensor quantized = OrThrow(QuantizedBySpec(weight, spec_));
  const auto scale = static_cast<double>(1.0F / 127.5F);
  EXPECT_EQ(quantized.q_scale(), scale);
  EXPECT_TRUE(quantized.int_repr().equal(
      at::quantize_per_tensor(weight, scale, 0, at::kQInt8).int_repr()));
}

TEST_F(LayerSiteTest, RefusesWeightsThatCannotBeQuantized) {
  EXPECT_EQ(MessageOf(QuantizedBySpec(at::ones({2, 2}, at::kDouble), spec_)),
            "its weight is of type Double; quantized layers compute in Float");
  EXPECT_EQ(
      MessageOf(QuantizedBySpec(
          at::full({2, 2}, std::numeric_limits<float>::quiet_NaN()), spec_)),
      "its weight has values that are not finite");
  const absl::StatusOr<at::Tensor> none = QuantizedBySpec(
      at::ones({2, 2}),
      {DefaultConfig(ObserverKind::kRecording), ObserverUse::kObserve, ""});
  EXPECT_TRUE(IsRefusal(none.status()));
  EXPECT_EQ(MessageOf(none).rfind("its weight cannot be quantized: ", 0), 0);
}

TEST_F(LayerSiteTest, InsertsForALayerOrNotAtAll) {
  const auto graph = GraphOf(kLinear);
  SharedConstants constants(*graph);
  const LayerSite site = SiteIn(*graph, constants);
  const auto insert = [&](bool fails) -> absl::StatusOr<Value*> {
    Value* value = OrThrow(
        InsertOp(*graph, "aten::clamp", {site.node->input(0), 0.0, 6.0}));
    return fails ? absl::StatusOr<Value*>(Refusal("no")) : value;
  };
  EXPECT_EQ(MessageOf(InsertFor(site, [&] { return insert(true); })), "no");
  EXPECT_EQ(AllNodes(*graph).size(), 1);
  Node* clamp = OrThrow(InsertFor(site, [&] { return insert(false); }))->node();
  EXPECT_EQ(clamp->next(), site.node);
  EXPECT_EQ(clamp->scope(), site.node->scope());
}

TEST_F(LayerSiteTest, NamesConstantsAfterWhatTheyAreMadeOf) {
  const auto graph = GraphOf(kLinear);
  AllNodes(*graph)[0]->output()->setDebugName("");
  EXPECT_EQ(NameFor(*AllNodes(*graph)[0]->output(), "packed"), "");
  graph->inputs()[1]->setDebugName("self.fc.weight.1");
  EXPECT_EQ(NameFor(*graph->inputs()[1], "packed"), "self.fc.weight.packed");
}

}  // namespace
}  // namespace ns
