// Lowered graphs compute what they did before: graphs are run, before and
// after.
#include "passes/lowering/lowering_forms.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "tests/testing/ir.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using GraphPointer = std::shared_ptr<torch::jit::Graph>;

std::vector<at::Tensor> Run(const GraphPointer& graph, const at::Tensor& x) {
  torch::jit::Stack stack = {x.clone()};
  const torch::jit::Code code(graph, "test");
  torch::jit::InterpreterState(code).run(stack);
  std::vector<at::Tensor> outputs;
  for (const c10::IValue& output : stack) {
    const at::Tensor tensor = output.toTensor();
    outputs.push_back(tensor.is_quantized() ? tensor.dequantize() : tensor);
  }
  return outputs;
}

constexpr char kConstants[] = R"IR(
  %true : bool = prim::Constant[value=1]()
  %false : bool = prim::Constant[value=0]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %half : float = prim::Constant[value=0.5]()
  %scale : float = prim::Constant[value=0.05]()
  %fine : float = prim::Constant[value=0.02]()
  %zero_point : int = prim::Constant[value=64]()
  %low : int = prim::Constant[value=7]()
  %quint8 : int = prim::Constant[value=13]()
  %qint8 : int = prim::Constant[value=12]()
  %none : NoneType = prim::Constant()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %quint8)
)IR";

// Lowers a graph with the constants above and `lines`, and returns it.
GraphPointer ExpectSameOutputs(const std::string& lines,
                               const LowerToFbgemmOptions& options = {}) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({2, 3, 4, 4}) * 2;
  GraphPointer graph =
      GraphOf(absl::StrCat("graph(%x : Tensor):", kConstants, lines));
  const std::vector<at::Tensor> before = Run(graph, x);
  RunPass(LowerToFbgemm(options), graph);
  const std::vector<at::Tensor> after = Run(graph, x);
  EXPECT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    EXPECT_EQ(before[i].sizes(), after[i].sizes());
    EXPECT_LE(before[i].sub(after[i]).abs().max().item<float>(), 1e-5f)
        << "output " << i << " of " << graph->toString();
  }
  return graph;
}

TEST(LoweringFormsTest, LowersRelu6) {
  const GraphPointer graph = ExpectSameOutputs(R"IR(
  %r : Tensor = aten::relu6(%q)
  return (%r, %q))IR");
  EXPECT_EQ(NodesOf(*graph, "ns::fbgemm_clamp").size(), 1);
}

TEST(LoweringFormsTest, LowersRelu6InPlaceWhenNobodyElseSees) {
  const GraphPointer graph = ExpectSameOutputs(R"IR(
  %r : Tensor = aten::relu6_(%q)
  return (%r))IR");
  EXPECT_EQ(NodesOf(*graph, "ns::fbgemm_clamp").size(), 1);
}

TEST(LoweringFormsTest, KeepsRelu6InPlaceWhenOthersSee) {
  ExpectSameOutputs(R"IR(
  %r : Tensor = aten::relu6_(%q)
  return (%r, %q))IR");
  ExpectSameOutputs(R"IR(
  %r : Tensor = quantized::relu6(%q, %true)
  return (%r, %q))IR");
}

TEST(LoweringFormsTest, KeepsWritesToWhatAnotherWriteHandsOn) {
  ExpectSameOutputs(R"IR(
  %r : Tensor = aten::relu_(%q)
  %c : Tensor = aten::hardtanh_(%r, %zero, %one)
  %s : Tensor = quantized::add(%q, %c, %scale, %zero_point)
  return (%s))IR");
  ExpectSameOutputs(R"IR(
  %r : Tensor = quantized::relu6(%q, %true)
  %c : Tensor = aten::hardtanh_(%r, %zero, %one)
  %s : Tensor = quantized::add(%q, %c, %scale, %zero_point)
  return (%s))IR");
}

TEST(LoweringFormsTest, KeepsWritesToWhatDropoutHandsOn) {
  ExpectSameOutputs(R"IR(
  %d : Tensor = aten::dropout(%q, %half, %false)
  %r : Tensor = aten::relu_(%d)
  %s : Tensor = quantized::add(%q, %r, %scale, %zero_point)
  return (%s))IR");
}

TEST(LoweringFormsTest, DoesNotShareWhatIsWrittenTo) {
  ExpectSameOutputs(R"IR(
  %d : Tensor = aten::dequantize(%q)
  %p : Tensor = aten::quantize_per_tensor(%d, %scale, %zero_point, %quint8)
  %r : Tensor = aten::relu_(%p)
  %s : Tensor = quantized::add(%p, %r, %scale, %zero_point)
  return (%q, %s))IR");
}

TEST(LoweringFormsTest, RequantizesWhatWasThereBeforeAWrite) {
  ExpectSameOutputs(R"IR(
  %d : Tensor = aten::dequantize(%q)
  %r : Tensor = aten::relu_(%q)
  %p : Tensor = aten::quantize_per_tensor(%d, %fine, %low, %quint8)
  %s : Tensor = quantized::add(%q, %r, %scale, %zero_point)
  return (%p, %s))IR");
}

TEST(LoweringFormsTest, RequantizesWhatAnotherArmMayHaveMade) {
  ExpectSameOutputs(R"IR(
  %c : Tensor = prim::If(%false)
    block0():
      -> (%q)
    block1():
      %p : Tensor = aten::quantize_per_tensor(%x, %fine, %low, %quint8)
      -> (%p)
  %d : Tensor = aten::dequantize(%c)
  %r : Tensor = aten::quantize_per_tensor(%d, %scale, %zero_point, %quint8)
  return (%r))IR");
}

TEST(LoweringFormsTest, RequantizesWhatAnotherTripMayHaveMade) {
  ExpectSameOutputs(R"IR(
  %c : Tensor, %y : Tensor = prim::Loop(%two, %true, %q, %q)
    block0(%i : int, %now : Tensor, %before : Tensor):
      %d : Tensor = aten::dequantize(%now)
      %r : Tensor = aten::quantize_per_tensor(%d, %scale, %zero_point, %quint8)
      %s : Tensor = quantized::add(%now, %now, %half, %low)
      -> (%true, %s, %r)
  return (%y))IR");
}

TEST(LoweringFormsTest, RequantizesWhatAWriteLeft) {
  ExpectSameOutputs(R"IR(
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::add_(%d, %one, %one)
  %p : Tensor = aten::quantize_per_tensor(%d, %fine, %low, %quint8)
  return (%p))IR");
  ExpectSameOutputs(R"IR(
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::add_(%d, %one, %one)
  %p : Tensor = aten::quantize_per_tensor(%d, %scale, %zero_point, %quint8)
  return (%p))IR");
}

TEST(LoweringFormsTest, KeepsOpsOnSignedValues) {
  for (const char* op :
       {"quantized::add(%s, %s, %scale, %zero)",
        "quantized::mul_relu(%s, %s, %scale, %zero)",
        "quantized::sigmoid(%s, %scale, %zero)",
        "quantized::hardswish(%s, %scale, %zero)", "aten::relu6(%s)",
        "aten::hardtanh(%s, %zero, %one)"}) {
    ExpectSameOutputs(absl::StrCat(R"IR(
  %s : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8)
  %y : Tensor = )IR",
                                   op, R"IR(
  return (%y))IR"));
  }
}

TEST(LoweringFormsTest, KeepsOpsBehindOpsOnSignedValues) {
  ExpectSameOutputs(R"IR(
  %s : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8)
  %a : Tensor = quantized::add(%s, %s, %scale, %zero)
  %r : Tensor = aten::relu(%a)
  %d : Tensor = aten::dequantize(%r)
  return (%d))IR");
}

TEST(LoweringFormsTest, KeepsOpsBehindNormsOfSignedValues) {
  const GraphPointer graph = ExpectSameOutputs(R"IR(
  %s : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8)
  %four : int = prim::Constant[value=4]()
  %sizes : int[] = prim::ListConstruct(%four)
  %n : Tensor = quantized::layer_norm(%s, %sizes, %none, %none, %fine, %scale, %zero)
  %dims : int[] = prim::ListConstruct(%one)
  %y : Tensor = aten::mean(%n, %dims, %true, %none)
  return (%y))IR");
  EXPECT_EQ(NodesOf(*graph, "aten::mean").size(), 1);
}

TEST(LoweringFormsTest, KeepsOpsOnQuantizedTensorsWithAScaleForEachChannel) {
  const GraphPointer graph = ExpectSameOutputs(R"IR(
  %three : int = prim::Constant[value=3]()
  %long : int = prim::Constant[value=4]()
  %shape : int[] = prim::ListConstruct(%three)
  %scales : Tensor = aten::ones(%shape, %none, %none, %none, %none)
  %zeros : Tensor = aten::zeros(%shape, %long, %none, %none, %none)
  %p : Tensor = aten::quantize_per_channel(%x, %scales, %zeros, %one, %quint8)
  %y : Tensor = aten::dequantize(%p)
  return (%y))IR");
  EXPECT_EQ(NodesOf(*graph, "aten::dequantize").size(), 1);
}

TEST(LoweringFormsTest, KeepsOpsOnWhatOneArmHoldsInFloat) {
  for (const char* condition : {"%true", "%false"}) {
    const GraphPointer graph = ExpectSameOutputs(absl::StrCat(R"IR(
  %c : Tensor = prim::If()IR",
                                                              condition, R"IR()
    block0():
      -> (%q)
    block1():
      -> (%x)
  %y : Tensor = aten::dequantize(%c)
  return (%y))IR"));
    EXPECT_EQ(NodesOf(*graph, "aten::dequantize").size(), 1);
  }
}

TEST(LoweringFormsTest, KeepsOpsOnSignedValuesOfBothArms) {
  const GraphPointer graph = ExpectSameOutputs(R"IR(
  %c : Tensor = prim::If(%true)
    block0():
      %s : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8)
      -> (%s)
    block1():
      %t : Tensor = aten::quantize_per_tensor(%x, %fine, %zero, %qint8)
      -> (%t)
  %r : Tensor = aten::relu(%c)
  %y : Tensor = aten::dequantize(%r)
  return (%y))IR");
  EXPECT_EQ(NodesOf(*graph, "aten::dequantize").size(), 1);
}

// Of %x itself nothing is known.
TEST(LoweringFormsTest, KeepsSumsWithInputsThatTheOtherSummandShowsToBeSigned) {
  const auto sum_with = [](const std::string& dtype) {
    return absl::StrCat(R"IR(
graph(%x : Tensor, %y : Tensor):
  %scale : float = prim::Constant[value=0.1]()
  %zero : int = prim::Constant[value=0]()
  %dtype : int = prim::Constant[value=)IR",
                        dtype, R"IR(]()
  %q : Tensor = aten::quantize_per_tensor(%y, %scale, %zero, %dtype)
  %s : Tensor = quantized::add(%x, %q, %scale, %zero)
  return (%s))IR");
  };
  ExpectUntouched(LowerToFbgemm(), sum_with("12"),
                  "its input is not quantized to quint8 with one scale");
  const GraphPointer lowered = GraphOf(sum_with("13"));
  EXPECT_TRUE(RunPass(LowerToFbgemm(), lowered).changed);
  EXPECT_EQ(NodesOf(*lowered, "ns::fbgemm_add").size(), 1);
}

TEST(LoweringFormsTest, LowersMeansOfUnsignedValues) {
  const auto with_mean = [](const std::string& dtype, const std::string& mean) {
    return absl::StrCat(R"IR(
  %c : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, )IR",
                        dtype, R"IR()
  %dims : int[] = prim::ListConstruct(%one)
  %y : Tensor = )IR",
                        mean, R"IR(
  return (%y))IR");
  };
  const auto count = [&](const std::string& dtype, const std::string& mean) {
    const GraphPointer graph = ExpectSameOutputs(with_mean(dtype, mean));
    return NodesOf(*graph, "ns::fbgemm_mean").size();
  };
  const std::string over_rows = "aten::mean(%c, %dims, %true, %none)";
  EXPECT_EQ(count("%quint8", over_rows), 1);
  EXPECT_EQ(count("%quint8", "aten::mean(%c, %none, %false, %none)"), 1);
  EXPECT_EQ(count("%quint8", "aten::mean(%c, %none)"), 1);
  EXPECT_EQ(count("%qint8", over_rows), 0);
}

TEST(LoweringFormsTest, KeepsConcatenationsOfSignedValues) {
  ExpectSameOutputs(R"IR(
  %s : Tensor = aten::quantize_per_tensor(%x, %scale, %zero, %qint8)
  %list : Tensor[] = prim::ListConstruct(%s, %s)
  %c : Tensor = quantized::cat(%list, %one, %scale, %zero)
  return (%c))IR");
}

TEST(LoweringFormsTest, LowersConcatenationsOfTensorsWithTheirParameters) {
  const GraphPointer graph = ExpectSameOutputs(R"IR(
  %r : Tensor = aten::relu(%q)
  %list : Tensor[] = prim::ListConstruct(%q, %r)
  %c : Tensor = aten::cat(%list, %one)
  %d : Tensor = aten::dequantize(%c)
  return (%c, %d))IR");
  EXPECT_EQ(NodesOf(*graph, "ns::fbgemm_cat").size(), 1);
}

TEST(LoweringFormsTest, KeepsConcatenationsOfRealNumbers) {
  const GraphPointer graph = ExpectSameOutputs(R"IR(
  %list : Tensor[] = prim::ListConstruct(%x, %x)
  %c : Tensor = aten::cat(%list, %one)
  %s : Tensor = aten::quantize_per_tensor(%c, %scale, %zero, %quint8)
  return (%c, %s))IR");
  EXPECT_EQ(NodesOf(*graph, "ns::fbgemm_cat").size(), 0);
}

TEST(LoweringFormsTest, KeepsInputsOfLoweredOpsThatAreOutputs) {
  ExpectSameOutputs(R"IR(
  %r : Tensor = aten::relu(%q)
  %s : Tensor = quantized::add(%q, %r, %scale, %low)
  %t : Tensor = aten::hardtanh(%s, %zero, %one)
  return (%q, %r, %s, %t))IR");
}

TEST(LoweringFormsTest, FollowsListsAndBranches) {
  ExpectSameOutputs(R"IR(
  %r : Tensor = aten::relu(%q)
  %list : Tensor[] = prim::ListConstruct(%q, %r)
  %c : Tensor = quantized::cat(%list, %one, %fine, %low)
  %y : Tensor = prim::If(%true)
    block0():
      %a : Tensor = aten::relu_(%c)
      -> (%a)
    block1():
      -> (%c)
  %z : Tensor = prim::Loop(%two, %true, %y)
    block0(%i : int, %carried : Tensor):
      %m : Tensor = quantized::mul(%carried, %c, %scale, %zero_point)
      %n : Tensor = aten::relu_(%m)
      -> (%true, %n)
  return (%z, %c))IR");
}

}  // namespace
}  // namespace ns
