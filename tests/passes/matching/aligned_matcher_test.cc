// On graphs without modules and constant weights: data flow and order.
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Owns the graphs that the result points into.
struct Matched {
  Matched(absl::string_view text_a, absl::string_view text_b)
      : a(ModelOf(text_a)),
        b(ModelOf(text_b)),
        result(OrThrow(MatchSubgraphs(a, b))) {}

  std::vector<std::string> Lines() const { return MatchLines(result); }
  // The index of the node of `op` in A that the `index`th match begins with.
  torch::jit::Node* BaseA(size_t index) const {
    return result.matches.at(index).a.subgraph.base;
  }

  ModelGraph a;
  ModelGraph b;
  MatchResult result;
};

TEST(AlignedMatcherTest, AbsorbsActivationThatTheOtherModelHasFused) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %r : Tensor = aten::relu_(%c)
  return (%r))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d_relu(%x, %p, %s, %z)
  return (%c))IR");
  EXPECT_THAT(match.Lines(),
              ElementsAre("conv2d_relu: conv2d relu_ = conv2d_relu"));
  EXPECT_THAT(match.result.unmatched_a, IsEmpty());
}

// Two sums in one arm; one model has no dropout, in the arm and before it.
TEST(AlignedMatcherTest, FollowsValuesThatComeIntoAnArm) {
  const Matched match(R"IR(
graph(%x : Tensor, %p : bool, %rate : float, %train : bool, %n : int):
  %a : Tensor = aten::tanh(%x)
  %d : Tensor = aten::dropout(%a, %rate, %train)
  %e : Tensor = aten::tanh(%d)
  %f : Tensor = aten::hardtanh(%e, %n, %n)
  %o : Tensor = aten::dropout(%f, %rate, %train)
  %y : Tensor = prim::If(%p)
    block0():
      %s : Tensor = aten::sigmoid(%o)
      -> (%s)
    block1():
      %g : Tensor = aten::dropout(%o, %rate, %train)
      %first : Tensor = aten::add(%g, %a, %n)
      %h : Tensor = aten::sigmoid(%first)
      %last : Tensor = aten::add(%h, %e, %n)
      -> (%last)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %p : bool, %s : float, %n : int):
  %a : Tensor = aten::tanh(%x)
  %e : Tensor = aten::tanh(%a)
  %f : Tensor = aten::hardtanh(%e, %n, %n)
  %y : Tensor = prim::If(%p)
    block0():
      %s.1 : Tensor = aten::sigmoid(%f)
      -> (%s.1)
    block1():
      %first : Tensor = quantized::add(%f, %a, %s, %n)
      %h : Tensor = aten::sigmoid(%first)
      %last : Tensor = quantized::add(%h, %e, %s, %n)
      -> (%last)
  return (%y))IR");
  // In the order of B.
  ASSERT_EQ(match.result.matches.size(), 7);
  EXPECT_EQ(match.BaseA(4), NodeOf(match.a.graph(), "aten::add", 0));
  EXPECT_EQ(match.BaseA(6), NodeOf(match.a.graph(), "aten::add", 1));
}

TEST(AlignedMatcherTest, AbsorbsActivationThatTheQuantizedRangeImplies) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %h : Tensor = aten::relu6(%c)
  return (%h))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase):
  %s : float = prim::Constant[value=0.0235294]()
  %z : int = prim::Constant[value=0]()
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  return (%c))IR");
  EXPECT_THAT(match.Lines(), ElementsAre("conv2d: conv2d relu6 = conv2d"));
  EXPECT_THAT(match.result.unmatched_a, IsEmpty());
}

TEST(AlignedMatcherTest, DoesNotAbsorbActivationThatTheOtherModelLacks) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %h : Tensor = aten::hardswish_(%c)
  return (%h))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  return (%c))IR");
  EXPECT_THAT(match.Lines(), ElementsAre("conv2d: conv2d = conv2d"));
  EXPECT_THAT(match.result.unmatched_a, testing::SizeIs(1));
}

TEST(AlignedMatcherTest, FusedActivationEndsTheSubgraphBeforeABatchNorm) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int, %t : bool, %e : float):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %r : Tensor = aten::relu(%c)
  %n1 : Tensor = aten::batch_norm(%r, %b, %b, %b, %b, %t, %e, %e, %t)
  %n2 : Tensor = aten::batch_norm(%n1, %b, %b, %b, %b, %t, %e, %e, %t)
  return (%n2))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %b : Tensor, %e : float, %s : float, %z : int):
  %c : Tensor = quantized::conv2d_relu(%x, %p, %s, %z)
  %n1 : Tensor = quantized::batch_norm2d(%c, %b, %b, %b, %b, %e, %s, %z)
  %n2 : Tensor = quantized::batch_norm2d(%n1, %b, %b, %b, %b, %e, %s, %z)
  return (%n2))IR");
  EXPECT_THAT(match.Lines(),
              ElementsAre("conv2d_relu: conv2d relu = conv2d_relu",
                          "batch_norm2d: batch_norm = batch_norm2d",
                          "batch_norm2d@1: batch_norm = batch_norm2d"));
}

TEST(AlignedMatcherTest, OfTwoBatchNormsTheFirstIsFolded) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int, %t : bool, %e : float):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %n1 : Tensor = aten::batch_norm(%c, %b, %b, %b, %b, %t, %e, %e, %t)
  %n2 : Tensor = aten::batch_norm(%n1, %b, %b, %b, %b, %t, %e, %e, %t)
  return (%n2))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %b : Tensor, %e : float, %s : float, %z : int):
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  %n : Tensor = quantized::batch_norm2d(%c, %b, %b, %b, %b, %e, %s, %z)
  return (%n))IR");
  EXPECT_THAT(match.Lines(),
              ElementsAre("conv2d: conv2d batch_norm = conv2d",
                          "batch_norm2d: batch_norm = batch_norm2d"));
}

// A dynamic layer casts its output; the norm behind it stays what it was.
TEST(AlignedMatcherTest, SeesBatchNormBehindCastsAndDropout) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %p : float, %t : bool, %e : float):
  %c : Tensor = aten::linear(%x, %w, %b)
  %d : Tensor = aten::dropout(%c, %p, %t)
  %n : Tensor = aten::batch_norm(%d, %b, %b, %b, %b, %t, %e, %e, %t)
  %r : Tensor = aten::relu(%n)
  return (%r))IR",
                      R"IR(
graph(%x : Tensor, %w : __torch__.torch.classes.quantized.LinearPackedParamsBase, %b : Tensor, %dtype : int, %t : bool, %e : float, %no : NoneType):
  %c : Tensor = quantized::linear_dynamic(%x, %w, %t)
  %d : Tensor = aten::to(%c, %dtype, %t, %t, %no)
  %n : Tensor = aten::batch_norm(%d, %b, %b, %b, %b, %t, %e, %e, %t)
  %r : Tensor = aten::relu(%n)
  return (%r))IR");
  EXPECT_THAT(
      match.Lines(),
      ElementsAre("linear_dynamic: linear = linear_dynamic",
                  "batch_norm: batch_norm = batch_norm", "relu: relu = relu"));
}

// A lowered model has fused through the dequantize.
TEST(AlignedMatcherTest, AbsorbsActivationBehindACast) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : __torch__.torch.classes.quantized.LinearPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::linear(%x, %w, %s, %z)
  %d : Tensor = aten::dequantize(%c)
  %r : Tensor = aten::relu(%d)
  return (%r))IR",
                      R"IR(
graph(%x : Tensor, %w : __torch__.torch.classes.ns.FbgemmLinear, %s : float, %z : int):
  %c : Tensor = ns::fbgemm_linear_relu(%x, %w, %s, %z)
  %d : Tensor = aten::dequantize(%c)
  return (%d))IR");
  EXPECT_THAT(match.Lines(), ElementsAre("linear_relu: linear dequantize relu "
                                         "= fbgemm_linear_relu"));
}

TEST(AlignedMatcherTest, DoesNotAbsorbActivationWhenBothModelsHaveIt) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int, %lo : int, %hi : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %h : Tensor = aten::hardtanh(%c, %lo, %hi)
  return (%h))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int, %lo : int, %hi : int):
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  %h : Tensor = aten::hardtanh(%c, %lo, %hi)
  return (%h))IR");
  EXPECT_THAT(match.Lines(), ElementsAre("conv2d: conv2d = conv2d",
                                         "hardtanh: hardtanh = hardtanh"));
}

TEST(AlignedMatcherTest, DoesNotAbsorbActivationWhenItsInputIsUsedElsewhere) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %h : Tensor = aten::hardswish(%c)
  return (%h, %c))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  return (%c))IR");
  EXPECT_THAT(match.Lines(), ElementsAre("conv2d: conv2d = conv2d"));
  EXPECT_THAT(match.result.unmatched_a, testing::SizeIs(1));
}

TEST(AlignedMatcherTest, MatchesResidualAdd) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %sum : Tensor = aten::add_(%c, %x, %g)
  %r : Tensor = aten::relu_(%sum)
  return (%r))IR",
                      R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d(%x, %p, %s, %z)
  %r : Tensor = quantized::add_relu(%c, %x, %s, %z)
  return (%r))IR");
  EXPECT_THAT(match.Lines(), ElementsAre("conv2d: conv2d = conv2d",
                                         "add_relu: add_ relu_ = add_relu"));
}

TEST(AlignedMatcherTest, MatchesTracedConvolution) {
  const Matched match(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int, %t : bool):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  return (%c))IR",
                      R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %s : int[] = prim::Constant[value=[1, 1]]()
  %false : bool = prim::Constant[value=0]()
  %c : Tensor = aten::_convolution(%x, %w, %b, %s, %s, %s, %false, %s, %one, %false, %false, %false, %false)
  return (%c))IR");
  EXPECT_THAT(match.Lines(),
              ElementsAre("_convolution: conv2d = _convolution"));
}

TEST(AlignedMatcherTest, FollowsDataWhereOrderDiffers) {
  const Matched match(R"IR(
graph(%x : Tensor, %y : Tensor):
  %a : Tensor = aten::tanh(%x)
  %b : Tensor = aten::tanh(%y)
  %s : Tensor = aten::matmul(%a, %b)
  return (%s))IR",
                      R"IR(
graph(%x : Tensor, %y : Tensor):
  %b : Tensor = aten::tanh(%y)
  %a : Tensor = aten::tanh(%x)
  %s : Tensor = aten::matmul(%a, %b)
  return (%s))IR");
  ASSERT_EQ(match.result.matches.size(), 3);
  EXPECT_EQ(match.BaseA(0), NodeOf(match.a.graph(), "aten::tanh", 1));
  EXPECT_EQ(match.BaseA(1), NodeOf(match.a.graph(), "aten::tanh", 0));
}

// A tracer makes one concatenation of those that are nested.
TEST(AlignedMatcherTest, MatchesTheOuterOfNestedConcatenations) {
  constexpr char kFlat[] = R"IR(
graph(%x : Tensor):
  %dim : int = prim::Constant[value=1]()
  %a : Tensor = aten::tanh(%x)
  %b : Tensor = aten::sigmoid(%x)
  %c : Tensor = aten::relu(%x)
  %l : Tensor[] = prim::ListConstruct(%a, %b, %c)
  %y : Tensor = aten::cat(%l, %dim)
  return (%y))IR";
  constexpr char kNested[] = R"IR(
graph(%x : Tensor):
  %dim : int = prim::Constant[value=1]()
  %a : Tensor = aten::tanh(%x)
  %b : Tensor = aten::sigmoid(%x)
  %k : Tensor[] = prim::ListConstruct(%a, %b)
  %inner : Tensor = aten::cat(%k, %dim)
  %c : Tensor = aten::relu(%x)
  %l : Tensor[] = prim::ListConstruct(%inner, %c)
  %y : Tensor = aten::cat(%l, %dim)
  return (%y))IR";
  const Matched in_b(kFlat, kNested);
  ASSERT_EQ(in_b.result.matches.size(), 4);
  EXPECT_EQ(in_b.result.matches[3].b.subgraph.base,
            NodeOf(in_b.b.graph(), "aten::cat", 1));
  const Matched in_a(kNested, kFlat);
  ASSERT_EQ(in_a.result.matches.size(), 4);
  EXPECT_EQ(in_a.BaseA(3), NodeOf(in_a.a.graph(), "aten::cat", 1));
}

TEST(AlignedMatcherTest, MatchesArmsOfIfPairwise) {
  const char* text = R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      %c : Tensor = aten::neg(%a)
      -> (%c)
    block1():
      %b : Tensor = aten::sigmoid(%x)
      -> (%b)
  return (%y))IR";
  const Matched match(text, text);
  EXPECT_THAT(match.Lines(),
              ElementsAre("sigmoid: sigmoid = sigmoid", "neg: neg = neg",
                          "sigmoid@1: sigmoid = sigmoid"));
  EXPECT_EQ(match.BaseA(0), NodeOf(match.a.graph(), "aten::sigmoid", 0));
  EXPECT_EQ(match.BaseA(2), NodeOf(match.a.graph(), "aten::sigmoid", 1));
}

TEST(AlignedMatcherTest, MatchesLoopBodies) {
  const Matched match(R"IR(
graph(%x : Tensor, %n : int, %go : bool):
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::add(%v, %v, %i)
      %r : Tensor = aten::relu(%a)
      -> (%go, %r)
  %t : Tensor = aten::tanh(%y)
  return (%t))IR",
                      R"IR(
graph(%x : Tensor, %n : int, %go : bool, %s : float):
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %v : Tensor):
      %r : Tensor = quantized::add_relu(%v, %v, %s, %i)
      -> (%go, %r)
  %t : Tensor = aten::tanh(%y)
  return (%t))IR");
  EXPECT_THAT(match.Lines(), ElementsAre("add_relu: add relu = add_relu",
                                         "tanh: tanh = tanh"));
}

TEST(AlignedMatcherTest, IfThatChoosesBetweenFormsOfOneOpIsThatOp) {
  const Matched match(R"IR(
graph(%x : Tensor, %p : bool, %dim : int):
  %y : Tensor = prim::If(%p)
    block0():
      %u : Tensor = aten::unsqueeze(%x, %dim)
      %a : Tensor = aten::sigmoid(%u)
      %d : Tensor = aten::squeeze(%a, %dim)
      -> (%d)
    block1():
      %b : Tensor = aten::sigmoid(%x)
      -> (%b)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %p : bool, %dim : int):
  %y : Tensor = aten::sigmoid(%x)
  return (%y))IR");
  ASSERT_THAT(MatchNames(match.result), ElementsAre("sigmoid"));
  EXPECT_EQ(match.result.matches[0].a.subgraph.end,
            NodeOf(match.a.graph(), "prim::If"));
  EXPECT_EQ(match.BaseA(0), NodeOf(match.a.graph(), "aten::sigmoid"));
  EXPECT_EQ(match.result.matches[0].a.output,
            NodeOf(match.a.graph(), "prim::If")->output());
}

TEST(AlignedMatcherTest, OrdersMatchesAcrossArmsByExecution) {
  // Enough ops for a sort to go wrong if arms were not ordered.
  const char* text = R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%x)
      %b : Tensor = aten::neg(%a)
      %c : Tensor = aten::exp(%b)
      -> (%c)
    block1():
      %d : Tensor = aten::log(%x)
      %e : Tensor = aten::quantize_per_tensor(%d, %x, %x, %x)
      %f : Tensor = aten::sqrt(%e)
      -> (%f)
  %z : Tensor = aten::tanh(%y)
  return (%z))IR";
  EXPECT_THAT(MatchNames(Matched(text, text).result),
              ElementsAre("sigmoid", "neg", "exp", "log", "log.quantize",
                          "sqrt", "tanh"));
}

}  // namespace
}  // namespace ns
