#include "passes/quantization/layers/fx_forms.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

TEST(FxFormsTest, PrepareFxKnowsReshapesAndNoSlices) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::flatten(%x, %one, %one)
  %z : Tensor = aten::slice(%y, %one, %one, %one, %one)
  return (%z))IR");
  EXPECT_TRUE(MovesValuesInFx(*NodeOf(*graph, "aten::flatten")));
  EXPECT_TRUE(MovesValues(*NodeOf(*graph, "aten::slice")));
  EXPECT_FALSE(MovesValuesInFx(*NodeOf(*graph, "aten::slice")));
}

// Gives `node` the path of a module inside another one.
void PutInto(torch::jit::Node& node, absl::string_view outer,
             absl::string_view inner) {
  node.setScope(ScopeFor({"block.part", 0, inner},
                         ScopeFor({"block", 0, outer}, node.scope())));
}

TEST(FxFormsTest, TheOutermostModuleOfTorchDecides) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::flatten(%x, %one, %one)
  %z : Tensor = aten::relu(%y)
  return (%z))IR");
  torch::jit::Node& flatten = *NodeOf(*graph, "aten::flatten");
  torch::jit::Node& relu = *NodeOf(*graph, "aten::relu");
  const auto original = relu.scope();
  EXPECT_TRUE(MovesValuesInFx(flatten));
  PutInto(flatten, "models.Net", "torch.nn.modules.flatten.Flatten");
  EXPECT_FALSE(MovesValuesInFx(flatten));

  PutInto(relu, "torchvision.ops.misc.ConvNormActivation",
          "torch.nn.modules.activation.ReLU");
  EXPECT_EQ(OrThrow(Int8FormInFx(relu)), Int8Form::kRangeOfInput);
  relu.setScope(original);
  PutInto(relu, "torch.nn.modules.container.Sequential",
          "torch.nn.modules.activation.ReLU");
  EXPECT_TRUE(IsKnownToFx(relu));
  relu.setScope(original);
  PutInto(relu, "torch.nn.modules.transformer.TransformerEncoderLayer",
          "torch.nn.modules.activation.ReLU");
  EXPECT_EQ(MessageOf(Int8FormInFx(relu)), "prepare_fx does not observe it");
}

TEST(FxFormsTest, OpsThatPrepareFxDoesNotListAreRefused) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %b : Tensor = aten::bmm(%x, %x)
  %m : Tensor = aten::matmul(%b, %b)
  return (%m))IR");
  const torch::jit::Node& bmm = *NodeOf(*graph, "aten::bmm");
  EXPECT_EQ(OrThrow(Int8FormOf(bmm)), Int8Form::kOwnRange);
  EXPECT_EQ(MessageOf(Int8FormInFx(bmm)), "prepare_fx does not observe it");
  EXPECT_EQ(OrThrow(Int8FormInFx(*NodeOf(*graph, "aten::matmul"))),
            Int8Form::kOwnRange);
}

TEST(FxFormsTest, LayersAndSumsFuseRelu) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %w : Tensor, %none : NoneType, %one : int):
  %l : Tensor = aten::linear(%x, %w, %none)
  %a : Tensor = aten::relu(%l)
  %s : Tensor = aten::add(%a, %x, %one)
  %b : Tensor = aten::relu(%s)
  %m : Tensor = aten::matmul(%b, %b)
  %c : Tensor = aten::relu(%m)
  return (%c))IR");
  const auto fuses = [&](absl::string_view op, int relu) {
    return FusesReluInFx(*NodeOf(*graph, op),
                         *NodeOf(*graph, "aten::relu", relu));
  };
  EXPECT_TRUE(fuses("aten::linear", 0));
  EXPECT_TRUE(fuses("aten::add", 1));
  EXPECT_FALSE(fuses("aten::matmul", 2));
}

TEST(FxFormsTest, NumbersHaveTheRangeOfTheirInput) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %w : Tensor):
  %two : float = prim::Constant[value=2.]()
  %y : Tensor = aten::mul(%x, %two)
  %z : Tensor = aten::mul(%y, %w)
  %l : Tensor = aten::log(%z)
  return (%l))IR");
  const torch::jit::Node& number = *NodeOf(*graph, "aten::mul", 0);
  EXPECT_EQ(OrThrow(Int8FormInFx(number)), Int8Form::kRangeOfInput);
  EXPECT_EQ(OrThrow(Int8FormOf(number)), Int8Form::kOwnRange);
  EXPECT_EQ(OrThrow(Int8FormInFx(*NodeOf(*graph, "aten::mul", 1))),
            Int8Form::kOwnRange);
  EXPECT_EQ(MessageOf(Int8FormInFx(*NodeOf(*graph, "aten::log"))),
            MessageOf(Int8FormOf(*NodeOf(*graph, "aten::log"))));
}

}  // namespace
}  // namespace ns
