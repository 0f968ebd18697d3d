// Float ops between dequantize and quantize that have to stay.
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/passes/lowering/fold/folding.h"

namespace ns {
namespace {

constexpr char kQuantizeSum[] = R"IR(
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o))IR";

std::string Sum(absl::string_view lines) {
  return absl::StrCat(lines, kQuantizeSum);
}

TEST(FoldGuardsTest, KeepsQuantizeBehindIfWhenNothingWaitsForIt) {
  ExpectKept(GraphText(R"IR(
  %sum : Tensor = prim::If(%p)
    block0():
      -> (%y)
    block1():
      -> (%x)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o))IR"),
             Constants(), "", "no remark");
}

TEST(FoldGuardsTest, KeepsOpWhenItsInputIsWrittenTo) {
  ExpectReasonOnQuantized(R"IR(
  %v : Tensor = aten::view(%d, %twos)
  %m : Tensor = aten::mul_(%v, %y)
  %sum : Tensor = aten::add(%d, %e, %one)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o, %d))IR",
                          "aten::add", "an op in place writes to its tensors");
}

TEST(FoldGuardsTest, KeepsOpWhenItsInputIsWrittenToInAnArm) {
  ExpectReasonOnQuantized(R"IR(
  %v : Tensor = aten::view(%d, %twos)
  %m : Tensor = prim::If(%p)
    block0():
      %n : Tensor = aten::mul_(%v, %y)
      -> (%n)
    block1():
      -> (%v)
  %sum : Tensor = aten::add(%d, %e, %one)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o, %d))IR",
                          "aten::add", "an op in place writes to its tensors");
}

TEST(FoldGuardsTest, KeepsOpWhoseKernelTakesUnsignedInputAlone) {
  ExpectReasonOnQuantized(R"IR(
  %q8 : Tensor = aten::quantize_per_tensor(%x, %s, %zero, %signed)
  %d8 : Tensor = aten::dequantize(%q8)
  %m : Tensor = aten::max_pool3d(%d8, %twos, %twos, %zeros, %ones, %no)
  return (%m))IR",
                          "aten::max_pool3d",
                          "its kernel takes quint8 values alone");
}

TEST(FoldGuardsTest, KeepsOpWhenItsFloatOutputIsUsed) {
  ExpectReasonOnQuantized(R"IR(
  %sum : Tensor = aten::add(%d, %e, %one)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
  return (%o, %sum))IR",
                          "aten::add",
                          "its float output is used elsewhere, too");
}

// It would run again with every trip.
TEST(FoldGuardsTest, KeepsOpWhenItsOutputIsQuantizedInALoop) {
  ExpectReasonOnQuantized(R"IR(
  %sum : Tensor = aten::add(%d, %e, %one)
  %u : Tensor = prim::Loop(%two, %p, %q)
    block0(%i : int, %v : Tensor):
      %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %t)
      -> (%p, %o)
  return (%u))IR",
                          "aten::add",
                          "its float output is used elsewhere, too");
}

TEST(FoldGuardsTest, KeepsOpWhenItsOutputIsNotQuantized) {
  ExpectReasonOnQuantized(R"IR(
  %sum : Tensor = aten::add(%d, %e, %one)
  return (%sum))IR",
                          "aten::add", "its output is not quantized");
}

TEST(FoldGuardsTest, KeepsOpWhenAnInputIsFloat) {
  ExpectReasonOnQuantized(
      Sum(R"IR(
  %sum : Tensor = aten::add(%d, %x, %one))IR"),
      "aten::add", "its input is not dequantized from known quantized values");
}

// They may be anything, half precision among it.
TEST(FoldGuardsTest, KeepsOpWhenItsQuantizedInputsAreGraphInputs) {
  ExpectKept(GraphText(R"IR(
  %d : Tensor = aten::dequantize(%x)
  %h : Tensor = aten::hardswish(%d)
  %o : Tensor = aten::quantize_per_tensor(%h, %so, %zo, %t)
  return (%o))IR"),
             Constants(), "aten::hardswish",
             "its input is not dequantized from known quantized values");
}

TEST(FoldGuardsTest, KeepsOpWhenQuantizedTypesDiffer) {
  ExpectReasonOnQuantized(
      R"IR(
  %sum : Tensor = aten::add(%d, %e, %one)
  %o : Tensor = aten::quantize_per_tensor(%sum, %so, %zo, %signed)
  return (%o))IR",
      "aten::add",
      "it takes quantized values of type QUInt8 and its output is "
      "quantized to QInt8");
}

TEST(FoldGuardsTest, KeepsAddWhenItScalesItsOperand) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %sum : Tensor = aten::add(%d, %e, %two))IR"),
                          "aten::add", "it multiplies its second operand");
}

TEST(FoldGuardsTest, KeepsOpWhenItsNumberIsNotConstant) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %n : int = aten::dim(%x)
  %sum : Tensor = aten::mul(%d, %n))IR"),
                          "aten::mul", "its operand is not constant");
}

TEST(FoldGuardsTest, KeepsOpWhenItsNumberHasNoScale) {
  ExpectReasonOnQuantized(
      Sum(R"IR(
  %sum : Tensor = aten::mul(%d, %half))IR"),
      "aten::mul", "its operand has no scale: it is not finite or too small",
      With("half", std::numeric_limits<double>::infinity()));
}

TEST(FoldGuardsTest, KeepsCatWhenItsListGrows) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %list : Tensor[] = prim::ListConstruct(%d)
  %more : Tensor[] = aten::append(%list, %e)
  %sum : Tensor = aten::cat(%list, %one))IR"),
                          "aten::cat", "an op in place writes to its tensors");
}

TEST(FoldGuardsTest, KeepsCatWhenOnlyARunTellsItsList) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %list : Tensor[] = aten::chunk(%d, %two, %one)
  %sum : Tensor = aten::cat(%list, %one))IR"),
                          "aten::cat",
                          "only a run tells which tensors it takes");
}

TEST(FoldGuardsTest, KeepsActivationWhenItsRangeIsNotItsKernels) {
  ExpectReasonOnQuantized(
      Sum(R"IR(
  %sum : Tensor = aten::tanh(%d))IR"),
      "aten::tanh",
      "its kernel gives quantized values with scale 0.0078125 and zero "
      "point 128 only");
}

TEST(FoldGuardsTest, KeepsBatchNormWhenItIsTraining) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %sum : Tensor = aten::batch_norm(%d, %b, %b, %b, %b, %yes, %half, %half, %no))IR"),
                          "aten::batch_norm",
                          "it takes its statistics from the batch");
}

TEST(FoldGuardsTest, KeepsBatchNormWhenItHasNoWeight) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %sum : Tensor = aten::batch_norm(%d, %none, %none, %b, %b, %no, %half, %half, %no))IR"),
                          "aten::batch_norm",
                          "its kernel needs a weight and a bias");
}

TEST(FoldGuardsTest, KeepsInstanceNormWhenItHasRunningStatistics) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %sum : Tensor = aten::instance_norm(%d, %b, %b, %b, %b, %no, %half, %half, %no))IR"),
                          "aten::instance_norm",
                          "it takes its statistics from elsewhere");
}

TEST(FoldGuardsTest, KeepsSoftmaxWhenItAsksForAType) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %sum : Tensor = aten::softmax(%d, %one, %two))IR"),
                          "aten::softmax", "it asks for a type");
}

TEST(FoldGuardsTest, KeepsOpWhoseQuantizedFormDoesNotTakeItsArguments) {
  ExpectReasonOnQuantized(
      Sum(R"IR(
  %channels : str = prim::Constant[value="C"]()
  %sum : Tensor = aten::softmax(%d, %channels, %none))IR"),
      "aten::softmax",
      "its quantized form fails: quantized::softmax does not "
      "take (Tensor, str, float, int)");
}

TEST(FoldGuardsTest, KeepsOpWithoutAQuantizedForm) {
  ExpectReasonOnQuantized(Sum(R"IR(
  %sum : Tensor = aten::log(%d))IR"),
                          "aten::log", "no quantized op computes it");
}

TEST(FoldGuardsTest, KeepsActivationsThatOnlyWeLookUpForSignedValues) {
  ExpectKept(
      GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %signed)
  %d : Tensor = aten::dequantize(%q)
  %h : Tensor = aten::silu(%d)
  %o : Tensor = aten::quantize_per_tensor(%h, %so, %zo, %signed)
  return (%o))IR"),
      Constants(), "aten::silu",
      "it takes quantized values of type QInt8; its kernel takes QUInt8");
}

TEST(FoldGuardsTest, KeepsNormsOfRowsThatOnlyWeTakeForSignedValues) {
  ExpectKept(
      GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %signed)
  %d : Tensor = aten::dequantize(%q)
  %n : Tensor = aten::group_norm(%d, %one, %none, %none, %half, %no)
  %o : Tensor = aten::quantize_per_tensor(%n, %so, %zo, %signed)
  return (%o))IR"),
      Constants(), "aten::group_norm",
      "it takes quantized values of type QInt8; its kernel takes QUInt8");
}

// %o is quantized, with qparams that nobody knows before it runs.
TEST(FoldGuardsTest, SaysNothingOfOpsOnQuantized) {
  ExpectReasonOnQuantized(R"IR(
  %v : Tensor = quantized::sigmoid(%q, %so, %zo)
  %l : Tensor[] = prim::ListConstruct(%q, %v)
  %o : Tensor = aten::cat(%l, %one)
  return (%o, %e))IR",
                          "aten::cat", "no remark");
}

// Its scale is made behind it, and so is what it would read there.
TEST(FoldGuardsTest, KeepsOpWhenItsArgumentsChangeBeforeItIsQuantized) {
  GraphConstants constants = Constants();
  constants.erase("so");
  ExpectReasonOnQuantized(R"IR(
  %list : int[] = prim::ListConstruct(%two)
  %f : Tensor = aten::layer_norm(%d, %list, %none, %none, %half, %no)
  %more : int[] = aten::append(%list, %two)
  %o : Tensor = aten::quantize_per_tensor(%f, %so, %zo, %t)
  return (%o, %more))IR",
                          "aten::layer_norm",
                          "its arguments change before it is quantized",
                          constants);
}

}  // namespace
}  // namespace ns
