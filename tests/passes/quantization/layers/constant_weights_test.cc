#include "passes/quantization/layers/constant_weights.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "passes/runtime/observers/make_observer.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kLinear[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : NoneType):
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR";

TEST(ConstantWeightsTest, ReadsConstants) {
  const at::Tensor weight = at::ones({2, 2}).requires_grad_();
  const auto graph =
      GraphWith(kLinear, {{"w", weight.detach()}, {"b", c10::IValue()}});
  const Node& linear = *NodeOf(*graph, "aten::linear");
  EXPECT_TRUE(
      OrThrow(ConstantTensor(*linear.input(1), "its weight")).equal(weight));
  EXPECT_FALSE(OrThrow(ConstantTensor(*linear.input(2), "its bias")).defined());
  EXPECT_EQ(MessageOf(ConstantTensor(*linear.input(0), "its input")),
            "its input is not constant");
}

TEST(ConstantWeightsTest, RefusesDequantizedWeights) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %q : Tensor, %b : NoneType):
  %w : Tensor = aten::dequantize(%q)
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR");
  EXPECT_EQ(MessageOf(ConstantTensor(*NodeOf(*graph, "aten::linear")->input(1),
                                     "its weight")),
            "its weight is quantized already");
}

TEST(ConstantWeightsTest, RefusesConstantsThatAreWrittenTo) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %w : Tensor, %b : NoneType):
  %r : Tensor = aten::relu_(%w)
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR",
                               {{"w", at::ones({2, 2})}});
  EXPECT_EQ(MessageOf(ConstantTensor(*NodeOf(*graph, "aten::linear")->input(1),
                                     "its weight")),
            "an op in place writes to its weight");
}

TEST(ConstantWeightsTest, ReadsListsOfConstants) {
  const at::Tensor a = at::ones({2});
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %a : Tensor, %list : Tensor[]):
  %own : Tensor[] = prim::ListConstruct(%a, %a)
  %other : Tensor[] = prim::ListConstruct(%a, %x)
  %y : Tensor = aten::cat(%own, %list)
  return (%y))IR",
                               {{"a", a}});
  Node* cat = NodeOf(*graph, "aten::cat");
  std::vector<ConstantElement> elements =
      OrThrow(ConstantElements(*cat->input(0)));
  ASSERT_EQ(elements.size(), 2);
  EXPECT_TRUE(elements[1].tensor.equal(a));
  EXPECT_EQ(elements[1].value, cat->input(0)->node()->input(1));
  EXPECT_EQ(MessageOf(ConstantElements(*cat->input(1))),
            "its parameters are not constant");
  cat->replaceInput(0, NodeOf(*graph, "prim::ListConstruct", 1)->output());
  EXPECT_EQ(MessageOf(ConstantElements(*cat->input(0))),
            "a parameter of it is not constant");
  const torch::jit::WithInsertPoint in_front(cat);
  Value* list = graph->insertConstant(std::vector<at::Tensor>{a, a, a});
  cat->replaceInput(0, list);
  elements = OrThrow(ConstantElements(*cat->input(0)));
  ASSERT_EQ(elements.size(), 3);
  EXPECT_EQ(elements[2].value, nullptr);
  EXPECT_EQ(elements[2].named, list);
}

TEST(ConstantWeightsTest, QuantizesAsPyTorchDoes) {
  const at::Tensor weight = at::tensor({-1.0F, 0.3F, 0.51F}).reshape({1, 3});
  const at::Tensor quantized =
      OrThrow(QuantizedBySpec(weight, DynamicQConfig().weight));
  const auto scale = static_cast<double>(1.0F / 127.5F);
  EXPECT_EQ(quantized.q_scale(), scale);
  EXPECT_TRUE(quantized.int_repr().equal(
      at::quantize_per_tensor(weight, scale, 0, at::kQInt8).int_repr()));
}

TEST(ConstantWeightsTest, QuantizesWithWhatAnObserverFound) {
  const ObserverPtr observer =
      OrThrow(MakeObserver(DynamicQConfig().weight.config));
  observer->Forward(at::tensor({-2.0F, 1.0F}));
  const at::Tensor quantized =
      OrThrow(QuantizedByObserver(at::tensor({0.5F, -3.0F}), *observer));
  EXPECT_EQ(quantized.q_scale(), static_cast<double>(2.0F / 127.5F));
  EXPECT_EQ(quantized.int_repr()[1].item<int>(), -128);
}

TEST(ConstantWeightsTest, RefusesWeightsThatCannotBeQuantized) {
  EXPECT_EQ(MessageOf(QuantizedBySpec(at::ones({2, 2}, at::kDouble),
                                      DynamicQConfig().weight)),
            "its weight is of type Double; quantized layers compute in Float");
  EXPECT_EQ(MessageOf(QuantizedBySpec(
                at::full({2, 2}, std::numeric_limits<float>::quiet_NaN()),
                DynamicQConfig().weight)),
            "its weight has values that are not finite");
  const absl::StatusOr<at::Tensor> none = QuantizedBySpec(
      at::ones({2, 2}),
      {DefaultConfig(ObserverKind::kRecording), ObserverUse::kObserve, ""});
  EXPECT_TRUE(IsRefusal(none.status()));
  EXPECT_EQ(MessageOf(none).rfind("its weight cannot be quantized: ", 0), 0);
}

}  // namespace
}  // namespace ns
