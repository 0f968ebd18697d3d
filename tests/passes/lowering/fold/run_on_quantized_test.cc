// Tests the folding of ops that run on quantized tensors as they are.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <torch/version.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/passes/lowering/fold/folding.h"

namespace ns {
namespace {

TEST(RunOnQuantizedTest, MovesDequantizeBehindOpsThatMoveElements) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %f : Tensor = aten::flatten(%d, %zero, %one)
  %g : Tensor = aten::transpose(%f, %zero, %one)
  return (%g))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::flatten(%3, 0, 1)
%5 = aten::transpose(%4, 0, 1)
%6 = aten::dequantize(%5)
return (%6))");
}

// The layout of what convolutions give is another.
TEST(RunOnQuantizedTest, ViewsBecomeReshapes) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %f : Tensor = aten::view(%d, %twos)
  %n : Tensor = aten::neg(%f)
  %g : Tensor = aten::view_as(%n, %d)
  %w : Tensor = prim::If(%p)
    block0():
      %h : Tensor = aten::view(%n, %twos)
      -> (%h)
    block1():
      %m : Tensor = aten::view(%y, %twos)
      %o : Tensor = aten::mul_(%m, %half)
      -> (%o)
  return (%g, %w))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::dequantize(%3)
%5 = aten::reshape(%3, [2, 2])
%6 = aten::dequantize(%5)
%7 = aten::neg(%6)
%8 = aten::reshape_as(%7, %4)
%12 = prim::If(%2)
  then:
    %9 = aten::reshape(%7, [2, 2])
    -> (%9)
  else:
    %10 = aten::view(%1, [2, 2])
    %11 = aten::mul_(%10, 0.5)
    -> (%11)
return (%8, %12))");
}

TEST(RunOnQuantizedTest, KeepsViewsAsAnotherType) {
  if (TORCH_VERSION_MAJOR >= 2) {
    GTEST_SKIP() << "LibTorch 2 takes the type for a size in TorchScript";
  }
  ExpectKept(OnQuantized(R"IR(
  %v : Tensor = aten::view(%d, %one)
  return (%v, %e))IR"),
             Constants(), "", "no remark");
}

TEST(RunOnQuantizedTest, DropsQuantizeWithTheSameParameters) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::relu(%d)
  %o : Tensor = aten::quantize_per_tensor(%a, %s, %z, %t)
  return (%o))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::relu(%3)
return (%4))");
}

TEST(RunOnQuantizedTest, KeepsQuantizeWhenItsParametersAreOthers) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::relu(%d)
  %o : Tensor = aten::quantize_per_tensor(%a, %so, %zo, %t)
  return (%o))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::relu(%3)
%5 = aten::dequantize(%4)
%6 = aten::quantize_per_tensor(%5, 0.5, 3, 13)
return (%6))");
}

// The same value, whatever it is.
TEST(RunOnQuantizedTest, ComparesParametersThatOnlyARunTells) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %s : float, %so : float, %z : int, %t : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %o : Tensor = aten::quantize_per_tensor(%d, %s, %z, %t)
  return (%o))IR";
  ExpectFolded(kText, {{"t", 13}}, R"(
%4 = aten::quantize_per_tensor(%0, %1, %3, 13)
return (%4))");
  ExpectKept(R"IR(
graph(%x : Tensor, %s : float, %so : float, %z : int, %t : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %o : Tensor = aten::quantize_per_tensor(%d, %so, %z, %t)
  return (%o))IR",
             {{"t", 13}}, "", "no remark");
}

TEST(RunOnQuantizedTest, TakesListsApart) {
  ExpectFoldedOnQuantized(R"IR(
  %c : Tensor[] = aten::chunk(%d, %two, %one)
  %u : Tensor, %v : Tensor = prim::ListUnpack(%c)
  %sp : Tensor[] = aten::split(%e, %two, %one)
  %g : Tensor = aten::__getitem__(%sp, %one)
  %sum : Tensor = aten::add(%v, %g, %one)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o))IR",
                          R"(%5 = aten::chunk(%3, 2, 1)
%6, %7 = prim::ListUnpack(%5)
%8 = aten::split(%4, 2, 1)
%9 = aten::__getitem__(%8, 1)
%10 = quantized::add(%7, %9, 0.5, 3)
return (%10))");
}

TEST(RunOnQuantizedTest, KeepsOpWhenItsListIsUsedAsAWhole) {
  ExpectReasonOnQuantized(R"IR(
  %c : Tensor[] = aten::chunk(%d, %two, %one)
  %m : Tensor = aten::max_pool2d(%e, %twos, %twos, %zeros, %ones, %no)
  return (%c, %m))IR",
                          "aten::chunk", "no remark");
}

TEST(RunOnQuantizedTest, StacksTensorsWithEqualParameters) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %r : Tensor = aten::quantize_per_tensor(%y, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %e : Tensor = aten::dequantize(%r)
  %list : Tensor[] = prim::ListConstruct(%d, %e)
  %c : Tensor = aten::stack(%list, %one)
  return (%c))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::quantize_per_tensor(%1, 0.25, 7, 13)
%5 = prim::ListConstruct(%3, %4)
%6 = aten::stack(%5, 1)
%7 = aten::dequantize(%6)
return (%7))");
}

TEST(RunOnQuantizedTest, KeepsStackWhenParametersDiffer) {
  ExpectKept(OnQuantized(R"IR(
  %list : Tensor[] = prim::ListConstruct(%d, %e)
  %c : Tensor = aten::stack(%list, %one)
  return (%c))IR"),
             Constants(), "", "no remark");
}

TEST(RunOnQuantizedTest, AsksQuantizedTensorsForShapes) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %n : int = aten::size(%d, %zero)
  return (%q, %n))IR"),
               Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::size(%3, 0)
return (%3, %4))");
}

TEST(RunOnQuantizedTest, QuantizesInFrontOfOpsThatMoveElements) {
  ExpectFoldedOnQuantized(R"IR(
  %a : Tensor = aten::add(%d, %e, %one)
  %b1 : Tensor = aten::relu(%a)
  %c : Tensor = aten::flatten(%b1, %zero, %one)
  %f : Tensor = aten::unsqueeze(%c, %zero)
  %o : Tensor = aten::quantize_per_tensor(%f, %so, %zo, %t)
  return (%o))IR",
                          R"(%5 = quantized::add_relu(%3, %4, 0.5, 3)
%6 = aten::flatten(%5, 0, 1)
%7 = aten::unsqueeze(%6, 0)
return (%7))");
}

// What is not picked was never meant to fit the scale of what is.
TEST(RunOnQuantizedTest, QuantizesWhatWasPickedWhenTheOpCannotBeFolded) {
  ExpectKept(GraphText(R"IR(
  %a : Tensor = aten::add(%x, %y, %one)
  %b1 : Tensor = aten::select(%a, %zero, %zero)
  %b2 : Tensor = aten::select(%a, %zero, %one)
  %p : Tensor = aten::quantize_per_tensor(%b1, %so, %zo, %t)
  %q2 : Tensor = aten::quantize_per_tensor(%b2, %so, %zo, %t)
  return (%p, %q2))IR"),
             Constants(), "aten::add",
             "its float output is used elsewhere, too");
}

TEST(RunOnQuantizedTest, KeepsOpInFrontOfQuantizeWhenNothingCanBeFolded) {
  ExpectKept(GraphText(R"IR(
  %a : Tensor = aten::log(%x)
  %c : Tensor = aten::flatten(%a, %zero, %one)
  %o : Tensor = aten::quantize_per_tensor(%c, %so, %zo, %t)
  return (%o))IR"),
             Constants(), "aten::log", "no quantized op computes it");
}

// All 256 values lie between 0 and 100.
TEST(RunOnQuantizedTest, DropsClampsOfQuantizedValuesThatChangeNone) {
  ExpectFolded(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %zero, %t)
  %d : Tensor = aten::dequantize(%q)
  %h : Tensor = aten::hardtanh(%d, %zero, %so)
  %f : Tensor = aten::flatten(%h, %zero, %one)
  %o : Tensor = aten::quantize_per_tensor(%f, %s, %zero, %t)
  return (%o))IR"),
               With("so", 100.0),
               R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 0, 13)
%4 = aten::flatten(%3, 0, 1)
return (%4))");
}

TEST(RunOnQuantizedTest, KeepsClampsOfValuesThatAreQuantizedOtherwise) {
  ExpectReason(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %half, %zero, %t)
  %d : Tensor = aten::dequantize(%q)
  %h : Tensor = aten::hardtanh(%d, %zero, %so)
  %o : Tensor = aten::quantize_per_tensor(%h, %s, %zero, %t)
  return (%o))IR"),
               With("so", 100.0), "", "no remark");
}

TEST(RunOnQuantizedTest, GivesQuantizeNumbers) {
  ExpectFolded(R"IR(
graph(%x : Tensor, %s : Tensor, %z : Tensor, %t : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  return (%q))IR",
               {{"t", 13},
                {"s", at::scalar_tensor(0.25)},
                {"z", at::full({1}, 7, at::kLong)}},
               R"(
%1 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
return (%1))");
}

// Elsewhere the view of the float tensor would see the write.
TEST(RunOnQuantizedTest, KeepsOpWhenItsOutputIsWrittenTo) {
  ExpectKept(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %v : Tensor = aten::view(%d, %twos)
  %m : Tensor = aten::mul_(%v, %y)
  return (%m, %d))IR"),
             Constants(), "aten::mul_",
             "it works in place on a tensor that other ops see");
}

constexpr char kPool[] = R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::avg_pool2d(%d, %twos, %twos, %zeros, %no, %yes, %none)
  %o : Tensor = aten::quantize_per_tensor(%a, %s, %z, %t)
  return (%o))IR";

TEST(RunOnQuantizedTest, RoundsToTheQuantizedValuesOfItsInput) {
  ExpectFolded(GraphText(kPool), Constants(), R"(
%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = aten::avg_pool2d(%3, [2, 2], [2, 2], [0, 0], False, True, None)
return (%4))");
}

TEST(RunOnQuantizedTest, KeepsPoolThatDoesNotCountPaddingForQnnpack) {
  const at::QEngine before = at::globalContext().qEngine();
  at::globalContext().setQEngine(at::kQNNPACK);
  ExpectKept(GraphText(kPool), With("yes", false), "aten::avg_pool2d",
             "qnnpack counts the padding, whatever it is told");
  at::globalContext().setQEngine(before);
}

TEST(RunOnQuantizedTest, KeepsPoolWhenItDividesByANumberOfItsOwn) {
  ExpectKept(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::avg_pool2d(%d, %twos, %twos, %zeros, %no, %yes, %two)
  %o : Tensor = aten::quantize_per_tensor(%a, %s, %z, %t)
  return (%o))IR"),
             Constants(), "aten::avg_pool2d",
             "it divides by a number of its own");
}

std::string OneOp(const std::string& op) {
  return GraphText(absl::StrCat(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = )IR",
                                op, R"IR(
  %o : Tensor = aten::quantize_per_tensor(%a, %s, %z, %t)
  return (%o))IR"));
}

TEST(RunOnQuantizedTest, KeepsRoundingOpWhenItsOutputHasOtherParameters) {
  ExpectKept(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::adaptive_avg_pool2d(%d, %ones)
  %o : Tensor = aten::quantize_per_tensor(%a, %so, %z, %t)
  return (%o))IR"),
             Constants(), "aten::adaptive_avg_pool2d",
             "its output is quantized with other parameters than its input");
}

TEST(RunOnQuantizedTest, KeepsRoundingOpWhenItsInputIsFloat) {
  ExpectKept(GraphText(R"IR(
  %a : Tensor = aten::adaptive_avg_pool2d(%x, %ones)
  %o : Tensor = aten::quantize_per_tensor(%a, %so, %z, %t)
  return (%o))IR"),
             Constants(), "aten::adaptive_avg_pool2d",
             "its input is not dequantized from known quantized values");
}

TEST(RunOnQuantizedTest, KeepsRoundingOpWhenAReluFollows) {
  ExpectKept(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %a : Tensor = aten::adaptive_avg_pool2d(%d, %ones)
  %b1 : Tensor = aten::relu(%a)
  %o : Tensor = aten::quantize_per_tensor(%b1, %s, %z, %t)
  return (%o))IR"),
             Constants(), "aten::adaptive_avg_pool2d",
             "its quantized form does not fuse the relu behind it");
}

TEST(RunOnQuantizedTest, KeepsClampWhenItHasOneBound) {
  ExpectKept(OneOp("aten::clamp(%d, %half, %none)"), Constants(), "aten::clamp",
             "it has one bound only");
}

TEST(RunOnQuantizedTest, KeepsClampWhenItsBoundsAreTensors) {
  ExpectKept(OneOp("aten::clamp(%d, %y, %y)"), Constants(), "aten::clamp",
             "its bounds are tensors");
}

TEST(RunOnQuantizedTest, KeepsMeanWhenItAsksForAType) {
  ExpectKept(OneOp("aten::mean(%d, %ones, %no, %two)"), Constants(),
             "aten::mean", "it asks for a type");
}

TEST(RunOnQuantizedTest, KeepsMeanOverAllDimensions) {
  ExpectKept(OneOp("aten::mean(%d, %none)"), Constants(), "aten::mean",
             "it averages over all dimensions");
}

TEST(RunOnQuantizedTest, KeepsDropoutWhenItIsTraining) {
  ExpectKept(OneOp("aten::dropout(%d, %half, %yes)"), Constants(),
             "aten::dropout", "it drops elements at random");
}

TEST(RunOnQuantizedTest, KeepsPaddingWhenItIsNotWithZero) {
  ExpectKept(OneOp("aten::constant_pad_nd(%d, %ones, %half)"), Constants(), "",
             "no remark");
}

TEST(RunOnQuantizedTest, KeepsCloneWhenItAsksForALayout) {
  ExpectKept(OneOp("aten::clone(%d, %two)"), Constants(), "", "no remark");
}

// It mixes up tensors that are channels-last.
TEST(RunOnQuantizedTest, KeepsClampsForQnnpack) {
  const at::QEngine before = at::globalContext().qEngine();
  at::globalContext().setQEngine(at::kQNNPACK);
  for (const std::string op : {"aten::relu6(%d)", "aten::hardtanh(%d, %s, %so)",
                               "aten::clamp(%d, %s, %so)"}) {
    ExpectKept(OneOp(op), Constants(), op.substr(0, op.find('(')),
               "qnnpack clamps tensors that are channels-last wrongly");
  }
  at::globalContext().setQEngine(before);
}

}  // namespace
}  // namespace ns
