// Asked through MatchSubgraphs, which pairs the nodes.
#include "passes/matching/unpaired_inputs.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The reasons of all matches, in order.
std::vector<std::string> Reasons(absl::string_view text_a,
                                 absl::string_view text_b) {
  const ModelGraph a = ModelOf(text_a);
  const ModelGraph b = ModelOf(text_b);
  std::vector<std::string> reasons;
  for (const SubgraphMatch& match : OrThrow(MatchSubgraphs(a, b)).matches) {
    reasons.push_back(match.unpaired_input);
  }
  return reasons;
}

TEST(UnpairedInputsTest, NamesTheExtraLayerOfTheFloatModel) {
  EXPECT_THAT(Reasons(R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %extra : Tensor = aten::tanh(%s)
  %y : Tensor = aten::matmul(%extra, %w)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %y : Tensor = aten::matmul(%s, %w)
  return (%y))IR"),
              ElementsAre("",
                          "its input in the float model comes from '%3' "
                          "(aten::tanh), which has no counterpart in the "
                          "quantized model"));
}

// Quantizing removes them, in place or not.
TEST(UnpairedInputsTest, DropoutsAreNoLayers) {
  for (const char* op : {"dropout", "dropout_", "feature_dropout_",
                         "alpha_dropout", "feature_alpha_dropout"}) {
    EXPECT_THAT(Reasons(absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor):
  %p : float = prim::Constant[value=0.5]()
  %no : bool = prim::Constant[value=0]()
  %s : Tensor = aten::sigmoid(%x)
  %d : Tensor = aten::)IR",
                                     op, R"IR((%s, %p, %no)
  %y : Tensor = aten::matmul(%d, %w)
  return (%y))IR"),
                        R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %y : Tensor = aten::matmul(%s, %w)
  return (%y))IR"),
                ElementsAre("", ""))
        << op;
  }
}

TEST(UnpairedInputsTest, NamesTheExtraLayerOfTheQuantizedModel) {
  EXPECT_THAT(Reasons(R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %y : Tensor = aten::matmul(%s, %w)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %extra : Tensor = aten::tanh(%s)
  %y : Tensor = aten::matmul(%extra, %w)
  return (%y))IR"),
              ElementsAre("", AllOf(HasSubstr("in the quantized model"),
                                    HasSubstr("'%3' (aten::tanh)"))));
}

TEST(UnpairedInputsTest, LooksThroughCastsAndViews) {
  EXPECT_THAT(Reasons(R"IR(
graph(%x : Tensor, %w : Tensor, %one : int, %two : int):
  %s : Tensor = aten::sigmoid(%x)
  %f : Tensor = aten::flatten(%s, %one, %two)
  %y : Tensor = aten::matmul(%f, %w)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %w : Tensor, %scale : float, %z : int, %dtype : int):
  %s : Tensor = aten::sigmoid(%x)
  %q : Tensor = aten::quantize_per_tensor(%s, %scale, %z, %dtype)
  %d : Tensor = aten::dequantize(%q)
  %y : Tensor = aten::matmul(%d, %w)
  return (%y))IR"),
              Each(std::string()));
}

TEST(UnpairedInputsTest, OperandsMayBeExchanged) {
  EXPECT_THAT(Reasons(R"IR(
graph(%x : Tensor, %one : int):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%x)
  %y : Tensor = aten::add(%s, %t, %one)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %one : int):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%x)
  %y : Tensor = aten::add(%t, %s, %one)
  return (%y))IR"),
              Each(std::string()));
}

// One model appends to a list, as DenseNet does; the other has a list of all
// from the start.
constexpr char kAppending[] = R"IR(
graph(%x : Tensor, %dim : int):
  %s : Tensor = aten::sigmoid(%x)
  %list : Tensor[] = prim::ListConstruct(%s)
  %t : Tensor = aten::tanh(%x)
  %same : Tensor[] = aten::append(%list, %t)
  %y : Tensor = aten::cat(%list, %dim)
  return (%y))IR";

TEST(UnpairedInputsTest, AppendedElementsAreInputs) {
  EXPECT_THAT(Reasons(kAppending, R"IR(
graph(%x : Tensor, %dim : int):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%x)
  %list : Tensor[] = prim::ListConstruct(%s, %t)
  %y : Tensor = aten::cat(%list, %dim)
  return (%y))IR"),
              ElementsAre("", "", ""));
}

TEST(UnpairedInputsTest, AppendedElementsMayHaveNoCounterpart) {
  EXPECT_THAT(Reasons(kAppending, R"IR(
graph(%x : Tensor, %dim : int):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%x)
  %extra : Tensor = aten::relu(%t)
  %list : Tensor[] = prim::ListConstruct(%s, %extra)
  %y : Tensor = aten::cat(%list, %dim)
  return (%y))IR"),
              ElementsAre("", "", HasSubstr("(aten::relu)")));
}

TEST(UnpairedInputsTest, ListsThatAreFilledInControlFlowTellNothing) {
  EXPECT_THAT(Reasons(R"IR(
graph(%x : Tensor, %dim : int, %p : bool):
  %s : Tensor = aten::sigmoid(%x)
  %list : Tensor[] = prim::ListConstruct(%s)
  %t : Tensor = aten::tanh(%x)
  prim::If(%p)
    block0():
      %same : Tensor[] = aten::append(%list, %t)
      -> ()
    block1():
      -> ()
  %y : Tensor = aten::cat(%list, %dim)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %dim : int):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh(%x)
  %list : Tensor[] = prim::ListConstruct(%s, %t)
  %y : Tensor = aten::cat(%list, %dim)
  return (%y))IR"),
              Each(std::string()));
}

// Written in another way, it is still the same layer.
TEST(UnpairedInputsTest, OpsThatReplaceEachOtherCorrespond) {
  EXPECT_THAT(Reasons(R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::silu(%x)
  %y : Tensor = aten::matmul(%s, %w)
  return (%y))IR",
                      R"IR(
graph(%x : Tensor, %w : Tensor):
  %t : Tensor = aten::mish(%x)
  %y : Tensor = aten::matmul(%t, %w)
  return (%y))IR"),
              Each(std::string()));
}

// The two convolutions are no pair, for their values are of different places.
TEST(UnpairedInputsTest, NamesTheLayerThatHasFusedMore) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %y : Tensor = aten::sigmoid(%c)
  return (%y))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d_relu(%x, %p, %s, %z)
  %y : Tensor = aten::sigmoid(%c)
  return (%y))IR");
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  EXPECT_THAT(MatchLines(result), ElementsAre("sigmoid: sigmoid = sigmoid"));
  EXPECT_THAT(result.matches[0].unpaired_input,
              HasSubstr("(quantized::conv2d_relu), into which one model has "
                        "fused"));
  EXPECT_EQ(result.unmatched_a.size(), 1);
  EXPECT_EQ(result.unmatched_b.size(), 1);
}

// What the quantized model quantizes has no counterpart: the place where it is
// used tells nothing behind an extra layer.
TEST(UnpairedInputsTest, QuantizePointBehindAnExtraLayerIsUnmatched) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor, %w : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %y : Tensor = aten::matmul(%s, %w)
  return (%y))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %w : Tensor, %scale : float, %z : int, %dtype : int):
  %s : Tensor = aten::sigmoid(%x)
  %extra : Tensor = aten::tanh(%s)
  %q : Tensor = aten::quantize_per_tensor(%extra, %scale, %z, %dtype)
  %y : Tensor = quantized::matmul(%q, %w, %scale, %z)
  return (%y))IR");
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  EXPECT_THAT(MatchLines(result), ElementsAre("sigmoid: sigmoid = sigmoid",
                                              "matmul: matmul = matmul"));
  EXPECT_THAT(UnmatchedLines(result.unmatched_b),
              Contains(HasSubstr("quantize_per_tensor")));
}

}  // namespace
}  // namespace ns
