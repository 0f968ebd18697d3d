#include "passes/quantization/reference/reference_kernel.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/reference_kernels.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// The graph of `model`, without its module.
std::shared_ptr<torch::jit::Graph> PlainGraph(const ModelGraph& model) {
  auto graph = model.graph().copy();
  graph->eraseInput(0);
  return graph;
}

// Inserts the reference of the first `op` of `before`.
void ExpectReference(absl::string_view op, absl::string_view before,
                     absl::string_view after) {
  ModelGraph model = ModelOf(before);
  OrThrow(InsertReference(model, NodeOf(model.graph(), op)));
  NS_EXPECT_OK(VerifyGraph(model.graph()));
  ExpectIr(PlainGraph(model), after);
}

TEST(InsertReferenceKernelTest, QuantizesTheFloatResultAsTheOpDoes) {
  ExpectReference("quantized::add_relu", R"IR(
graph(%x : Tensor, %y : Tensor, %scale : float, %zero_point : int):
  %s : Tensor = quantized::add_relu(%x, %y, %scale, %zero_point)
  return (%s))IR",
                  R"IR(
graph(%x : Tensor, %y : Tensor, %scale : float, %zero_point : int):
  %float_x : Tensor = ns::as_float(%x)
  %float_y : Tensor = ns::as_float(%y)
  %one : int = prim::Constant[value=1]()
  %sum : Tensor = aten::add(%float_x, %float_y, %one)
  %relu : Tensor = aten::relu(%sum)
  %dtype : int = prim::dtype(%x)
  %reference : Tensor = aten::quantize_per_tensor(%relu, %scale, %zero_point, %dtype)
  %s : Tensor = quantized::add_relu(%x, %y, %scale, %zero_point)
  return (%s))IR");
}

TEST(InsertReferenceKernelTest, DequantizesListsAsOne) {
  ExpectReference("quantized::cat", R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=1]()
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %c : Tensor = quantized::cat(%list, %dim, %scale, %zero_point)
  return (%c))IR",
                  R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=1]()
  %scale : float = prim::Constant[value=0.5]()
  %zero_point : int = prim::Constant[value=7]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %floats : Tensor[] = ns::as_float(%list)
  %cat : Tensor = aten::cat(%floats, %dim)
  %dtype : int = prim::dtype(%x)
  %reference : Tensor = aten::quantize_per_tensor(%cat, %scale, %zero_point, %dtype)
  %c : Tensor = quantized::cat(%list, %dim, %scale, %zero_point)
  return (%c))IR");
}

TEST(InsertReferenceKernelTest, GivesByNameWhatTheFloatOpTakesByName) {
  ExpectReference("ns::fbgemm_gelu", R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %tanh : str = prim::Constant[value="tanh"]()
  %y : Tensor = ns::fbgemm_gelu(%x, %scale, %zero_point, %tanh)
  return (%y))IR",
                  R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int):
  %tanh : str = prim::Constant[value="tanh"]()
  %float : Tensor = ns::as_float(%x)
  %gelu : Tensor = aten::gelu(%float, %tanh)
  %dtype : int = prim::dtype(%x)
  %reference : Tensor = aten::quantize_per_tensor(%gelu, %scale, %zero_point, %dtype)
  %y : Tensor = ns::fbgemm_gelu(%x, %scale, %zero_point, %tanh)
  return (%y))IR");
}

TEST(InsertReferenceKernelTest, QuantizesBehindOpsThatChooseTheirParameters) {
  ExpectReference("quantized::mul_scalar", R"IR(
graph(%x : Tensor, %factor : float):
  %y : Tensor = quantized::mul_scalar(%x, %factor)
  %d : Tensor = aten::dequantize(%y)
  return (%d))IR",
                  R"IR(
graph(%x : Tensor, %factor : float):
  %float : Tensor = ns::as_float(%x)
  %product : Tensor = aten::mul(%float, %factor)
  %y : Tensor = quantized::mul_scalar(%x, %factor)
  %reference : Tensor = ns::quantize_like(%product, %y)
  %d : Tensor = aten::dequantize(%y)
  return (%d))IR");
}

TEST(InsertReferenceKernelTest, ComputesOpsInPlaceBeforeTheyRun) {
  ExpectReference("aten::relu_", R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor = aten::relu_(%q)
  return (%y))IR",
                  R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %float : Tensor = ns::as_float(%q)
  %relu : Tensor = aten::relu(%float)
  %y : Tensor = aten::relu_(%q)
  %reference : Tensor = ns::quantize_like(%relu, %y)
  return (%y))IR");
}

TEST(InsertReferenceKernelTest, TakesTheFirstOfSeveralOutputs) {
  ExpectReference("aten::max", R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %dim : int = prim::Constant[value=1]()
  %keep : bool = prim::Constant[value=0]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor, %i : Tensor = aten::max(%q, %dim, %keep)
  return (%y))IR",
                  R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %dim : int = prim::Constant[value=1]()
  %keep : bool = prim::Constant[value=0]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %float : Tensor = ns::as_float(%q)
  %max : Tensor, %index : Tensor = aten::max(%float, %dim, %keep)
  %y : Tensor, %i : Tensor = aten::max(%q, %dim, %keep)
  %reference : Tensor = ns::quantize_like(%max, %y)
  return (%y))IR");
}

TEST(InsertReferenceKernelTest, WorksInsideControlFlow) {
  ExpectReference("quantized::hardswish", R"IR(
graph(%x : Tensor, %p : bool, %scale : float, %zero_point : int):
  %y : Tensor = prim::If(%p)
    block0():
      %h : Tensor = quantized::hardswish(%x, %scale, %zero_point)
      -> (%h)
    block1():
      -> (%x)
  return (%y))IR",
                  R"IR(
graph(%x : Tensor, %p : bool, %scale : float, %zero_point : int):
  %y : Tensor = prim::If(%p)
    block0():
      %float : Tensor = ns::as_float(%x)
      %swish : Tensor = aten::hardswish(%float)
      %dtype : int = prim::dtype(%x)
      %reference : Tensor = aten::quantize_per_tensor(%swish, %scale, %zero_point, %dtype)
      %h : Tensor = quantized::hardswish(%x, %scale, %zero_point)
      -> (%h)
    block1():
      -> (%x)
  return (%y))IR");
}

constexpr char kUnknownPacked[] = R"IR(
graph(%x : Tensor, %packed : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %scale : float, %zero_point : int):
  %y : Tensor = quantized::conv2d(%x, %packed, %scale, %zero_point)
  return (%y))IR";

TEST(InsertReferenceKernelTest, LeavesOpWhosePackedParametersAreNotConstant) {
  EXPECT_EQ(WhyNoReference(ModelOf(kUnknownPacked), "quantized::conv2d"),
            "its packed parameters are not constant");
}

TEST(InsertReferenceKernelTest, LeavesOpsWithoutReference) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %scale : float, %zero_point : int, %dtype : int):
  %start : int = prim::Constant[value=0]()
  %end : int = prim::Constant[value=-1]()
  %q : Tensor = aten::quantize_per_tensor(%x, %scale, %zero_point, %dtype)
  %y : Tensor = aten::flatten(%q, %start, %end)
  return (%y))IR";
  EXPECT_EQ(WhyNoReference(ModelOf(kText), "aten::quantize_per_tensor"),
            "it only quantizes");
  EXPECT_EQ(WhyNoReference(ModelOf(kText), "aten::flatten"),
            "it only hands its data on");
}

TEST(InsertReferenceKernelTest, LeavesFloatOps) {
  EXPECT_EQ(WhyNoReference(ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR"),
                           "aten::relu"),
            "its inputs are not quantized");
  EXPECT_EQ(WhyNoReference(ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::gelu(%x)
  return (%y))IR"),
                           "aten::gelu"),
            "it computes in float");
}

TEST(InsertReferenceKernelTest, LeavesCallsThatNoOperatorTakes) {
  EXPECT_EQ(WhyNoReference(ModelOf(R"IR(
graph(%x : Tensor, %scale : str):
  %y : Tensor = quantized::hardswish(%x, %scale)
  return (%y))IR"),
                           "quantized::hardswish"),
            "no operator takes its arguments");
}

}  // namespace
}  // namespace ns
