#include "passes/lowering/fold/fold_reference_quantization.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "tests/passes/lowering/fold/folding.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr char kQuantizeSum[] = R"IR(
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o))IR";

std::string Sum(absl::string_view lines) {
  return absl::StrCat(lines, kQuantizeSum);
}

TEST(FoldReferenceQuantizationTest, HasAName) {
  EXPECT_EQ(FoldReferenceQuantization().name(), "fold-reference-quantization");
}

TEST(FoldReferenceQuantizationTest, FoldsAddAndItsRelu) {
  ExpectFoldedOnQuantized(Sum(R"IR(
  %a : Tensor = aten::add(%d, %e, %one)
  %sum : Tensor = aten::relu(%a))IR"),
                          R"(%5 = quantized::add_relu(%3, %4, 0.5, 3)
return (%5))");
}

TEST(FoldReferenceQuantizationTest, MakesACodeOfANumber) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %sum : Tensor = aten::mul(%d, %half)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::mul(%3, <Tensor>, 0.5, 3)
return (%4))");
}

TEST(FoldReferenceQuantizationTest, TakesConstantTensors) {
  ExpectFolded(
      GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %e : Tensor = aten::dequantize(%b)
  %sum : Tensor = aten::add(%d, %e, %one)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o))IR"),
      With("b", at::quantize_per_tensor(at::ones({4}), 0.5, 3, at::kQUInt8)),
      R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::add(%3, <Tensor>, 0.5, 3)
return (%4))");
}

TEST(FoldReferenceQuantizationTest, FoldsCat) {
  ExpectFoldedOnQuantized(Sum(R"IR(
  %list : Tensor[] = prim::ListConstruct(%d, %e)
  %sum : Tensor = aten::cat(%list, %one))IR"),
                          R"(%5 = prim::ListConstruct(%3, %4)
%6 = quantized::cat(%5, 1, 0.5, 3)
return (%6))");
}

// `lines` make %n of %d, which is dequantized; %n is quantized.
std::string Norm(absl::string_view lines) {
  return GraphText(absl::StrCat(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q))IR",
                                lines, R"IR(
  %o : Tensor = aten::quantize_per_tensor(%n, %so, %zo, %t)
  return (%o))IR"));
}

// LibTorch's kernels refuse rows, which the float ops take.
TEST(FoldReferenceQuantizationTest, FoldsNormsToOpsOfOursWhereTheyMayTakeRows) {
  ExpectFolded(Norm(R"IR(
  %n : Tensor = aten::group_norm(%d, %one, %none, %none, %half, %no))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = ns::fbgemm_group_norm(%3, 1, None, None, 0.5, 0.5, 3)
return (%4))");
  ExpectFolded(Norm(R"IR(
  %n : Tensor = aten::instance_norm(%d, %none, %none, %none, %none, %yes, %half, %half, %no))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = ns::fbgemm_instance_norm(%3, None, None, 0.5, 0.5, 3)
return (%4))");
}

TEST(FoldReferenceQuantizationTest, FoldsNormsOfImagesToThoseOfLibTorch) {
  ExpectFolded(Norm(R"IR(
  %l : int[] = prim::ListConstruct(%one, %one)
  %p : int[] = prim::ListConstruct(%zero, %zero)
  %m : Tensor = aten::max_pool2d(%d, %l, %l, %p, %l, %no)
  %n : Tensor = aten::group_norm(%m, %one, %none, %none, %half, %no))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = prim::ListConstruct(1, 1)
%5 = prim::ListConstruct(0, 0)
%6 = aten::max_pool2d(%3, %4, %4, %5, %4, False)
%7 = aten::contiguous(%6, 0)
%8 = quantized::group_norm(%7, 1, None, None, 0.5, 0.5, 3)
return (%8))");
}

// The rank of an image is known behind what joins images, and of a view.
TEST(FoldReferenceQuantizationTest, FoldsNormsBehindCatAndViewsToLibTorchs) {
  ExpectFolded(Norm(R"IR(
  %l : int[] = prim::ListConstruct(%one, %one)
  %p : int[] = prim::ListConstruct(%zero, %zero)
  %m : Tensor = aten::max_pool2d(%d, %l, %l, %p, %l, %no)
  %f : Tensor[] = prim::ListConstruct(%m, %m)
  %c : Tensor = aten::cat(%f, %one)
  %e : Tensor = aten::quantize_per_tensor(%c, %s, %z, %t)
  %g : Tensor = aten::dequantize(%e)
  %n : Tensor = aten::group_norm(%g, %one, %none, %none, %half, %no))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = prim::ListConstruct(1, 1)
%5 = prim::ListConstruct(0, 0)
%6 = aten::max_pool2d(%3, %4, %4, %5, %4, False)
%7 = prim::ListConstruct(%6, %6)
%8 = quantized::cat(%7, 1, 0.25, 7)
%9 = aten::contiguous(%8, 0)
%10 = quantized::group_norm(%9, 1, None, None, 0.5, 0.5, 3)
return (%10))");
  ExpectFolded(Norm(R"IR(
  %l : int[] = prim::ListConstruct(%one, %one, %one)
  %m : Tensor = aten::reshape(%d, %l)
  %n : Tensor = aten::instance_norm(%m, %none, %none, %none, %none, %yes, %half, %half, %no))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = prim::ListConstruct(1, 1, 1)
%5 = aten::reshape(%3, %4)
%6 = aten::contiguous(%5, 0)
%7 = quantized::instance_norm(%6, None, None, 0.5, 0.5, 3)
return (%7))");
}

// A view of an image may be of rows.
TEST(FoldReferenceQuantizationTest, FoldsNormsOfRowsOfImagesToOpsOfOurs) {
  ExpectFolded(Norm(R"IR(
  %l : int[] = prim::ListConstruct(%one, %one)
  %p : int[] = prim::ListConstruct(%zero, %zero)
  %m : Tensor = aten::max_pool2d(%d, %l, %l, %p, %l, %no)
  %r : Tensor = aten::flatten(%m, %one, %one)
  %n : Tensor = aten::instance_norm(%r, %none, %none, %none, %none, %yes, %half, %half, %no))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = prim::ListConstruct(1, 1)
%5 = prim::ListConstruct(0, 0)
%6 = aten::max_pool2d(%3, %4, %4, %5, %4, False)
%7 = aten::flatten(%6, 1, 1)
%8 = ns::fbgemm_instance_norm(%7, None, None, 0.5, 0.5, 3)
return (%8))");
}

TEST(FoldReferenceQuantizationTest, GivesSigmoidItsFixedRangeOrAnother) {
  constexpr char kText[] = R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %g : Tensor = aten::sigmoid(%d)
  %o : Tensor = aten::quantize_per_tensor(%g, %so, %zo, %t)
  return (%o))IR";
  GraphConstants fixed = With("so", 1.0 / 256);
  fixed["zo"] = 0;
  ExpectFolded(GraphText(kText), fixed, R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::sigmoid(%3)
return (%4))");
  ExpectFolded(GraphText(kText), Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::sigmoid(%3, 0.5, 3)
return (%4))");
}

// Both are tensors in traced models, and need not be constant.
TEST(FoldReferenceQuantizationTest, TakesScalesThatOnlyARunTells) {
  ExpectFolded(R"IR(
graph(%x : Tensor, %s : float, %z : int, %so : Tensor, %zo : Tensor, %t : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %h : Tensor = aten::hardswish(%d)
  %o : Tensor = aten::quantize_per_tensor(%h, %so, %zo, %t)
  return (%o))IR",
               {{"t", 13}}, R"(
%5 = aten::quantize_per_tensor(%0, %1, %2, 13)
%6 = aten::Float(%3)
%7 = aten::Int(%4)
%8 = quantized::hardswish(%5, %6, %7)
return (%8))");
}

TEST(FoldReferenceQuantizationTest, LeavesClampsToTheRangeOfQuantizedValues) {
  constexpr char kText[] = R"IR(
  %a : Tensor = aten::mul(%d, %e)
  %sum : Tensor = aten::relu6(%a))IR";
  GraphConstants narrow = With("so", 6.0 / 255);
  narrow["zo"] = 0;
  ExpectFolded(OnQuantized(Sum(kText)), narrow, R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::quantize_per_tensor(%1, 0.0235294, 7, 13)
%5 = quantized::mul(%3, %4, 0.0235294, 0)
return (%5))");
  ExpectReasonOnQuantized(Sum(kText), "aten::mul",
                          "its output is not quantized");
}

// With another zero point, quantizing does not clip what the relu cuts off.
TEST(FoldReferenceQuantizationTest, LeavesReluToAZeroPointOfZero) {
  constexpr char kText[] = R"IR(
  %a : Tensor = aten::matmul(%d, %e)
  %sum : Tensor = aten::relu(%a))IR";
  ExpectFoldedOnQuantized(Sum(kText), R"(%5 = quantized::matmul(%3, %4, 0.5, 0)
return (%5))",
                          With("zo", 0));
  ExpectReasonOnQuantized(
      Sum(kText), "aten::matmul",
      "its quantized form does not fuse the relu behind it");
}

TEST(FoldReferenceQuantizationTest, EntersControlFlow) {
  ExpectFolded(OnQuantized(R"IR(
  %o : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::add(%d, %e, %one)
      %b1 : Tensor = aten::quantize_per_tensor(%a, %so, %zo, %t)
      -> (%b1)
    block1():
      -> (%q)
  %u : Tensor = prim::Loop(%two, %p, %o)
    block0(%i : int, %v : Tensor):
      %m : Tensor = aten::mul(%d, %e)
      %n : Tensor = aten::quantize_per_tensor(%m, %so, %zo, %t)
      -> (%p, %n)
  return (%u))IR"),
               Constants(), absl::StrCat(kOnQuantizedHead, R"(%6 = prim::If(%2)
  then:
    %5 = quantized::add(%3, %4, 0.5, 3)
    -> (%5)
  else:
    -> (%3)
%10 = prim::Loop(2, %2, %6)
  block(%7, %8):
    %9 = quantized::mul(%3, %4, 0.5, 3)
    -> (%2, %9)
return (%10))"));
}

TEST(FoldReferenceQuantizationTest, QuantizesInTheArmsOfIf) {
  ExpectFoldedOnQuantized(Sum(R"IR(
  %sum : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::add(%d, %e, %one)
      -> (%a)
    block1():
      -> (%x))IR"),
                          R"(%7 = prim::If(%2)
  then:
    %5 = quantized::add(%3, %4, 0.5, 3)
    -> (%5)
  else:
    %6 = aten::quantize_per_tensor(%0, 0.5, 3, 13)
    -> (%6)
return (%7))");
}

// Both arms give quantized values with the same qparams, which are known behind
// the prim::If.
TEST(FoldReferenceQuantizationTest, KnowsWhatBothArmsGive) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %c : Tensor = prim::If(%p)
    block0():
      -> (%q)
    block1():
      %f : Tensor = aten::flatten(%q, %zero, %one)
      -> (%f)
  %d : Tensor = aten::dequantize(%c)
  %h : Tensor = aten::hardswish(%d)
  %o : Tensor = aten::quantize_per_tensor(%h, %so, %zo, %t)
  return (%o))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%5 = prim::If(%2)
  then:
    -> (%3)
  else:
    %4 = aten::flatten(%3, 0, 1)
    -> (%4)
%6 = quantized::hardswish(%5, 0.5, 3)
return (%6))");
}

TEST(FoldReferenceQuantizationTest, MakesOpsInPlaceOutOfPlace) {
  ExpectFoldedOnQuantized(Sum(R"IR(
  %a : Tensor = aten::add_(%d, %e, %one)
  %sum : Tensor = aten::relu_(%a))IR"),
                          R"(%5 = quantized::add_relu(%3, %4, 0.5, 3)
return (%5))");
}

TEST(FoldReferenceQuantizationTest, IdleDropoutsInPlaceAreInNobodysWay) {
  ExpectFoldedOnQuantized(Sum(R"IR(
  %v : Tensor = aten::flatten(%d, %zero, %one)
  %a : Tensor = aten::dropout_(%v, %half, %no)
  %sum : Tensor = aten::add(%a, %e, %one))IR"),
                          R"(%5 = aten::flatten(%3, 0, 1)
%6 = aten::dropout(%5, 0.5, False)
%7 = quantized::add(%6, %4, 0.5, 3)
return (%7))");
}

TEST(FoldReferenceQuantizationTest,
     NamesTheModulesOfWhatStaysAndOfWhatIsFolded) {
  const auto conv =
      MakeModule("Reference",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    w = torch.dequantize(torch.quantize_per_tensor(\n"
                 "        self.weight, 0.1, 0, 12))\n"
                 "    return torch.conv2d(x, w)\n",
                 {{"weight", at::ones({2, 3, 1, 1})}});
  const auto log = MakeModule("Log",
                              "def forward(self, x: Tensor) -> Tensor:\n"
                              "    return torch.log(x)\n");
  ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"conv", conv}, {"log", log}},
      {"x = torch.dequantize(torch.quantize_per_tensor(x, 1., 9, 13))",
       "x = torch.quantize_per_tensor(self.conv.forward(x), .5, 7, 13)",
       "return self.log.forward(torch.dequantize(x))"})));
  const PassRun run = RunPass(FoldReferenceQuantization(), model);
  EXPECT_TRUE(run.changed);
  const std::vector<PassRemark>& remarks = run.remarks;
  ASSERT_EQ(remarks.size(), 1);
  EXPECT_EQ(remarks[0].op, "aten::log");
  EXPECT_EQ(remarks[0].name, "log");
  const auto* node = NodeOf(model.graph(), "quantized::conv2d");
  EXPECT_EQ(ModulePathOf(*node).fqn, "conv");
  EXPECT_EQ(ModulePathOf(*node->input(1)->node()).fqn, "conv");
}

}  // namespace
}  // namespace ns
