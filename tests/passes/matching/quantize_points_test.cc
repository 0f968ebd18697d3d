// Through MatchSubgraphs, which names the points.
#include "passes/matching/quantize_points.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/paired.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kFloat[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::sigmoid(%x)
  %b : Tensor = aten::tanh(%a)
  return (%b))IR";

std::vector<std::string> LinesOf(absl::string_view text_a,
                                 absl::string_view text_b) {
  const ModelGraph a = ModelOf(text_a);
  const ModelGraph b = ModelOf(text_b);
  return MatchLines(OrThrow(MatchSubgraphs(a, b)));
}

TEST(QuantizePointsTest, ComparesWithWhatTheFloatModelHasThere) {
  EXPECT_THAT(LinesOf(kFloat, R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::sigmoid(%x)
  %q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)
  %b : Tensor = aten::tanh(%q)
  return (%b))IR"),
              ElementsAre("sigmoid: sigmoid = sigmoid",
                          "sigmoid.quantize: sigmoid = quantize_per_tensor",
                          "tanh: tanh = tanh"));
}

// The value of one arm does not exist in the other.
TEST(QuantizePointsTest, ElementsOfAListAreThoseOfTheSameArm) {
  constexpr char kOfArms[] = R"IR(
graph(%x : Tensor, %p : bool, %s : float, %n : int):
  %zero : int = prim::Constant[value=0]()
  %two : int = prim::Constant[value=2]()
  %l : Tensor[] = aten::chunk(%x, %two, %zero)
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::__getitem__(%l, %zero)
      QUANTIZE_A
      %c : Tensor = aten::tanh(%qa)
      -> (%c)
    block1():
      %b : Tensor = aten::__getitem__(%l, %zero)
      QUANTIZE_B
      %d : Tensor = aten::sigmoid(%qb)
      -> (%d)
  return (%y))IR";
  const ModelGraph a =
      ModelOf(absl::StrReplaceAll(kOfArms, {{"      QUANTIZE_A\n", ""},
                                            {"      QUANTIZE_B\n", ""},
                                            {"%qa", "%a"},
                                            {"%qb", "%b"}}));
  const ModelGraph b = ModelOf(absl::StrReplaceAll(
      kOfArms, {{"QUANTIZE_A",
                 "%qa : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)"},
                {"QUANTIZE_B",
                 "%qb : Tensor = aten::quantize_per_tensor(%b, %s, %n, %n)"}}));
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  int points = 0;
  for (const SubgraphMatch& match : result.matches) {
    if (match.b.output->node()->kind() != c10::aten::quantize_per_tensor) {
      continue;
    }
    ++points;
    const auto arm_of = [](const torch::jit::Value& value) {
      const auto blocks = value.node()->owningBlock()->owningNode()->blocks();
      return blocks[0] == value.node()->owningBlock();
    };
    EXPECT_EQ(arm_of(*match.a.output), arm_of(*match.b.output));
  }
  EXPECT_EQ(points, 2);
}

TEST(QuantizePointsTest, ElementsOfAListMayBeCountedFromItsEnd) {
  constexpr char kOfLast[] = R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %last : int = prim::Constant[value=-1]()
  %two : int = prim::Constant[value=2]()
  %l : Tensor[] = aten::chunk(%x, %two, %two)
  %a : Tensor = aten::__getitem__(%l, %last)
  QUANTIZE
  %c : Tensor = aten::tanh(%q)
  return (%c))IR";
  EXPECT_THAT(
      LinesOf(
          absl::StrReplaceAll(kOfLast, {{"  QUANTIZE\n", ""}, {"%q", "%a"}}),
          absl::StrReplaceAll(
              kOfLast,
              {{"QUANTIZE",
                "%q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)"}})),
      Contains(testing::HasSubstr("quantize: __getitem__")));
}

// The prim::If is compared as the one op that it chooses a form of.
TEST(QuantizePointsTest, QuantizeBehindAnOpInAnArmIsPartOfTheOp) {
  constexpr char kOfTwoForms[] = R"IR(
graph(%x : Tensor, %p : bool, %s : float, %n : int):
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      %b : Tensor = aten::relu(%x)
      QUANTIZE
      -> (%c)
  return (%y))IR";
  const ModelGraph a = ModelOf(absl::StrReplaceAll(
      kOfTwoForms, {{"      QUANTIZE\n", ""}, {"%c", "%b"}}));
  const ModelGraph b = ModelOf(absl::StrReplaceAll(
      kOfTwoForms,
      {{"QUANTIZE",
        "%c : Tensor = aten::quantize_per_tensor(%b, %s, %n, %n)"}}));
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  EXPECT_THAT(MatchLines(result), ElementsAre("relu: If = If"));
  EXPECT_THAT(result.unmatched_b, IsEmpty());
}

TEST(QuantizePointsTest, SeesThroughDequantize) {
  EXPECT_THAT(LinesOf(kFloat, R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::sigmoid(%x)
  %d : Tensor = aten::dequantize(%a)
  %q : Tensor = aten::quantize_per_tensor(%d, %s, %n, %n)
  %b : Tensor = aten::tanh(%q)
  return (%b))IR"),
              ElementsAre("sigmoid: sigmoid = sigmoid",
                          "sigmoid.quantize: sigmoid = quantize_per_tensor",
                          "tanh: tanh = tanh"));
}

TEST(QuantizePointsTest, FindsWhatIsPickedByTheListItGoesInto) {
  EXPECT_THAT(LinesOf(R"IR(
graph(%x : Tensor, %i : int, %j : int):
  %a : Tensor = aten::sigmoid(%x)
  %p : Tensor = aten::select(%a, %i, %i)
  %r : Tensor = aten::select(%a, %i, %j)
  %l : Tensor[] = prim::ListConstruct(%p, %r)
  %c : Tensor = aten::stack(%l, %i)
  return (%c))IR",
                      R"IR(
graph(%x : Tensor, %i : int, %j : int, %s : float):
  %a : Tensor = aten::sigmoid(%x)
  %p : Tensor = aten::select(%a, %i, %i)
  %r : Tensor = aten::select(%a, %i, %j)
  %pq : Tensor = aten::quantize_per_tensor(%p, %s, %i, %i)
  %rq : Tensor = aten::quantize_per_tensor(%r, %s, %i, %i)
  %l : Tensor[] = prim::ListConstruct(%pq, %rq)
  %c : Tensor = aten::stack(%l, %i)
  return (%c))IR"),
              ElementsAre("sigmoid: sigmoid = sigmoid",
                          "select.quantize: select = quantize_per_tensor",
                          "select.quantize@1: select = quantize_per_tensor",
                          "stack: stack = stack"));
}

// As reference models have it: float ops between dequantize and quantize.
TEST(QuantizePointsTest, FindsWhatIsPickedByWhatTakesItDequantized) {
  EXPECT_THAT(LinesOf(R"IR(
graph(%x : Tensor, %w : Tensor, %i : int):
  %a : Tensor = aten::sigmoid(%x)
  %p : Tensor = aten::select(%a, %i, %i)
  %c : Tensor = aten::matmul(%w, %p)
  return (%c))IR",
                      R"IR(
graph(%x : Tensor, %w : Tensor, %i : int, %s : float):
  %a : Tensor = aten::sigmoid(%x)
  %p : Tensor = aten::select(%a, %i, %i)
  %q : Tensor = aten::quantize_per_tensor(%p, %s, %i, %i)
  %d : Tensor = aten::dequantize(%q)
  %c : Tensor = aten::matmul(%w, %d)
  return (%c))IR"),
              ElementsAre("sigmoid: sigmoid = sigmoid",
                          "select.quantize: select = quantize_per_tensor",
                          "matmul: matmul = matmul"));
}

TEST(QuantizePointsTest, NumbersPointsOfOneValue) {
  EXPECT_THAT(LinesOf(kFloat, R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %n, %n)
  %r : Tensor = aten::quantize_per_tensor(%x, %s, %n, %n)
  %a : Tensor = aten::sigmoid(%q)
  %b : Tensor = aten::tanh(%a)
  return (%b, %r))IR"),
              ElementsAre("x.quantize: x = quantize_per_tensor",
                          "x.quantize@1: x = quantize_per_tensor",
                          "sigmoid: sigmoid = sigmoid", "tanh: tanh = tanh"));
}

TEST(QuantizePointsTest, LeavesPerChannelQuantizationOut) {
  const ModelGraph a = ModelOf(kFloat);
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::sigmoid(%x)
  %q : Tensor = aten::quantize_per_channel(%a, %x, %x, %n, %n)
  %b : Tensor = aten::tanh(%a)
  return (%b, %q))IR");
  EXPECT_THAT(MatchNames(OrThrow(MatchSubgraphs(a, b))),
              ElementsAre("sigmoid", "tanh"));
}

// The block of A in which the only quantize point of B is compared, as the op
// that stands there; "" where it is compared where it is made.
std::string ComparedWith(absl::string_view text_a, absl::string_view text_b) {
  const ModelGraph a = ModelOf(text_a);
  const ModelGraph b = ModelOf(text_b);
  for (const SubgraphMatch& match : OrThrow(MatchSubgraphs(a, b)).matches) {
    if (match.is_quantize_point) {
      EXPECT_EQ(match.b.compared_in, nullptr);
      const torch::jit::Block* block = match.a.compared_in;
      return block == nullptr ? ""
                              : std::string(OpName(**block->nodes().begin()));
    }
  }
  return "no point";
}

// Whether the only quantize point of B is left out since something has written
// to its input. `lines` make the %q of %a = sigmoid, or of what follows it.
bool IsLeftOut(const std::string& lines) {
  const ModelGraph a = ModelOf(kFloat);
  const ModelGraph b = ModelOf(absl::StrCat(R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %a : Tensor = aten::sigmoid(%x))IR",
                                            lines, R"IR(
  %b : Tensor = aten::tanh(%a)
  return (%b))IR"));
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  for (const UnmatchedOp& op : result.unmatched_b) {
    if (op.reason == "an op in place has written to what it quantizes") {
      return true;
    }
  }
  return false;
}

TEST(QuantizePointsTest, OverwrittenValueIsUnmatched) {
  constexpr char kQuantize[] =
      "\n  %q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)";
  constexpr char kWrite[] = "\n  %w : Tensor = aten::mul_(%a, %s)";
  constexpr char kWriteToView[] =
      "\n  %v : Tensor = aten::select(%a, %n, %n)"
      "\n  %w : Tensor = aten::mul_(%v, %s)";
  EXPECT_FALSE(IsLeftOut(kQuantize));
  EXPECT_TRUE(IsLeftOut(absl::StrCat(kWrite, kQuantize)));
  EXPECT_FALSE(IsLeftOut(absl::StrCat(kQuantize, kWrite)));
  EXPECT_TRUE(IsLeftOut(absl::StrCat(kWriteToView, kQuantize)));
  // The second is what the first quantizes.
  EXPECT_TRUE(IsLeftOut(absl::StrCat(kWrite, R"IR(
  %c : Tensor = aten::quantize_per_channel(%a, %x, %x, %n, %n)
  %d : Tensor = aten::dequantize(%c)
  %q : Tensor = aten::quantize_per_tensor(%d, %s, %n, %n))IR")));
  EXPECT_FALSE(IsLeftOut(R"IR(
  %w : Tensor = aten::relu_(%a)
  %q : Tensor = aten::quantize_per_tensor(%w, %s, %n, %n))IR"));
  EXPECT_FALSE(IsLeftOut(R"IR(
  %c : Tensor = aten::clone(%x, %n)
  %w : Tensor = aten::mul_(%c, %s)
  %q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n))IR"));
}

// What is compared of A is what an op gave, before another wrote to it.
TEST(QuantizePointsTest, ValueOverwrittenInTheFloatModelIsUnmatched) {
  const auto points = [](const char* in_front, const char* behind) {
    const ModelGraph a = ModelOf(absl::StrCat(R"IR(
graph(%x : Tensor, %s : float):
  %a : Tensor = aten::sigmoid(%x))IR",
                                              in_front, R"IR(
  %b : Tensor = aten::tanh(%a))IR",
                                              behind, R"IR(
  return (%b))IR"));
    const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::sigmoid(%x)
  %q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)
  %d : Tensor = aten::dequantize(%q)
  %b : Tensor = aten::tanh(%d)
  return (%b))IR");
    return MatchLines(OrThrow(MatchSubgraphs(a, b)));
  };
  constexpr char kWriteToView[] =
      "\n  %v : Tensor = aten::view_as(%a, %a)"
      "\n  %w : Tensor = aten::mul_(%v, %s)";
  constexpr char kPoint[] = "sigmoid.quantize: sigmoid = quantize_per_tensor";
  EXPECT_THAT(points("", ""), Contains(kPoint));
  EXPECT_THAT(points(kWriteToView, ""), Not(Contains(kPoint)));
  EXPECT_THAT(points("", kWriteToView), Contains(kPoint));
}

// Source code that leaves out what an op in place gives.
TEST(QuantizePointsTest, ValueBehindAnOpInPlaceIsCompared) {
  const auto model = [](const char* to_codes) {
    return ModelOfSource(
        absl::StrCat("def forward(self, x):\n"
                     "    a = torch.sigmoid(x)\n",
                     to_codes,
                     "    a.mul_(0.5)\n"
                     "    b = a\n",
                     to_codes, "    return torch.tanh(a)\n"));
  };
  EXPECT_THAT(
      MatchLines(OrThrow(MatchSubgraphs(
          model(""), model("    a = torch.dequantize("
                           "torch.quantize_per_tensor(a, 0.01, 3, 13))\n")))),
      ElementsAre(
          "sigmoid: sigmoid = sigmoid",
          "sigmoid.quantize: sigmoid = quantize_per_tensor", "mul: mul_ = mul_",
          "mul.quantize: mul_ = quantize_per_tensor", "tanh: tanh = tanh"));
}

TEST(QuantizePointsTest, ValueOverwrittenOnAnEarlierTripIsUnmatched) {
  // A has no such loop: its value is compared once.
  EXPECT_TRUE(IsLeftOut(R"IR(
  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %v : Tensor):
      %q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)
      %d : Tensor = aten::dequantize(%q)
      %w : Tensor = aten::mul_(%a, %s)
      -> (%p, %d))IR"));
  EXPECT_FALSE(IsLeftOut(R"IR(
  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %v : Tensor):
      %c : Tensor = aten::sin(%v)
      %q : Tensor = aten::quantize_per_tensor(%c, %s, %n, %n)
      %d : Tensor = aten::dequantize(%q)
      %w : Tensor = aten::mul_(%c, %s)
      -> (%p, %d))IR"));
}

// It is compared at the beginning of the arm, where both models have
// overwritten it.
TEST(QuantizePointsTest, ValueOverwrittenBeforeItsBlockIsCompared) {
  const auto model = [](const char* in_front, const char* behind) {
    return absl::StrReplaceAll(R"IR(
graph(%x : Tensor, %p : bool, %s : float, %n : int):
  %t : Tensor = aten::sin(%x)
  %m : Tensor = aten::mul_(%t, %s)
  %y : Tensor = prim::If(%p)
    block0():
      %w : Tensor = aten::mul_(%IN_FRONT, %s)
      READ
      %u : Tensor = aten::mul_(%BEHIND, %s)
      %b : Tensor = aten::tanh(%t)
      -> (%b)
    block1():
      -> (%x)
  return (%y))IR",
                               {{"IN_FRONT", in_front}, {"BEHIND", behind}});
  };
  const auto a = [](const std::string& text) {
    return absl::StrReplaceAll(text, {{"READ", "%r : Tensor = aten::sin(%t)"}});
  };
  const auto b = [](const std::string& text) {
    return absl::StrReplaceAll(text, {{"READ", R"IR(
      %q : Tensor = aten::quantize_per_tensor(%t, %s, %n, %n)
      %d : Tensor = aten::dequantize(%q)
      %r : Tensor = aten::sin(%d))IR"}});
  };
  const std::string written_later = model("x", "t");
  EXPECT_EQ(ComparedWith(a(written_later), b(written_later)), "aten::mul_");
  const std::string written_before = model("t", "x");
  EXPECT_EQ(ComparedWith(a(written_before), b(written_before)), "no point");
}

TEST(QuantizePointsTest, PointWithoutFloatValueIsUnmatched) {
  const ModelGraph a = ModelOf(kFloat);
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::erfinv(%x)
  %q : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)
  return (%q))IR");
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  EXPECT_THAT(result.matches, IsEmpty());
  EXPECT_THAT(
      UnmatchedLines(result.unmatched_b),
      ElementsAre("aten::erfinv: the float model has no op of family "
                  "'aten::erfinv'",
                  "aten::quantize_per_tensor: no value of the float model "
                  "corresponds to what it quantizes"));
}

TEST(QuantizePointsTest, ValueFromOutsideIsComparedInTheBlockThatQuantizes) {
  constexpr char kFloatChoice[] = R"IR(
graph(%x : Tensor, %p : bool):
  %t : Tensor = aten::tanh(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::sigmoid(%t)
      -> (%a)
    block1():
      %b : Tensor = aten::relu(%t)
      -> (%b)
  return (%y))IR";
  const auto quantized = [](const char* in_sigmoid, const char* in_relu) {
    return absl::StrReplaceAll(
        R"IR(
graph(%x : Tensor, %p : bool, %s : float, %n : int):
  %t : Tensor = aten::tanh(%x)
  %y : Tensor = prim::If(%p)
    block0():
      IN_SIGMOID
      %a : Tensor = aten::sigmoid(%t)
      -> (%a)
    block1():
      IN_RELU
      %b : Tensor = aten::relu(%t)
      -> (%b)
  return (%y))IR",
        {{"IN_SIGMOID", in_sigmoid}, {"IN_RELU", in_relu}});
  };
  constexpr char kQuantize[] =
      "%q : Tensor = aten::quantize_per_tensor(%t, %s, %n, %n)";
  EXPECT_EQ(ComparedWith(kFloatChoice, quantized(kQuantize, "")),
            "aten::sigmoid");
  EXPECT_EQ(ComparedWith(kFloatChoice, quantized("", kQuantize)), "aten::relu");
  // Of control flow that A does not have.
  EXPECT_EQ(ComparedWith(R"IR(
graph(%x : Tensor, %p : bool):
  %t : Tensor = aten::tanh(%x)
  return (%t))IR",
                         quantized(kQuantize, "")),
            "");
}

// A loop without an op of its own.
TEST(QuantizePointsTest, ValueFromOutsideIsComparedInALoopThatOnlyQuantizes) {
  EXPECT_EQ(ComparedWith(R"IR(
graph(%x : Tensor, %p : bool, %n : int):
  %t : Tensor = aten::tanh(%x)
  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %v : Tensor):
      %c : Tensor = aten::contiguous(%t, %n)
      -> (%p, %c)
  return (%y))IR",
                         R"IR(
graph(%x : Tensor, %p : bool, %n : int, %s : float):
  %t : Tensor = aten::tanh(%x)
  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %v : Tensor):
      %q : Tensor = aten::quantize_per_tensor(%t, %s, %n, %n)
      %d : Tensor = aten::dequantize(%q)
      -> (%p, %d)
  return (%y))IR"),
            "aten::contiguous");
}

// What an arm hands on is the same in A, which has no such output.
TEST(QuantizePointsTest, SeesThroughControlFlow) {
  const auto model = [](const char* quantize, const char* results) {
    return ModelOfSource(absl::StrCat(
        "def forward(self, x: Tensor, p: bool) -> Tuple[Tensor, Tensor]:\n"
        "    a = torch.sigmoid(x)\n"
        "    b = torch.tanh(x)\n"
        "    if p:\n",
        quantize,
        "        b = torch.sin(b)\n"
        "    return ",
        results, "\n"));
  };
  const ModelGraph a = model("", "a, b");
  const ModelGraph b = model(
      "        a = torch.dequantize(torch.quantize_per_tensor(a, .1, 3, 13))\n",
      "torch.quantize_per_tensor(a, .1, 3, 13), "
      "torch.quantize_per_tensor(b, .1, 3, 13)");
  EXPECT_THAT(
      MatchLines(OrThrow(MatchSubgraphs(a, b))),
      ElementsAre("sigmoid: sigmoid = sigmoid", "tanh: tanh = tanh",
                  "sigmoid.quantize: sigmoid = quantize_per_tensor",
                  "sin: sin = sin", "a.quantize: sigmoid = quantize_per_tensor",
                  "b.quantize: If = quantize_per_tensor"));
}

// The value that A does not carry is what it was before the loop.
TEST(QuantizePointsTest, SeesThroughWhatALoopOfBAloneCarries) {
  EXPECT_THAT(LinesOf(R"IR(
graph(%x : Tensor, %p : bool, %n : int):
  %a : Tensor = aten::sigmoid(%x)
  %h : Tensor, %k : int = prim::Loop(%n, %p, %x, %n)
    block0(%i : int, %v : Tensor, %w : int):
      %s : Tensor = aten::tanh(%v)
      -> (%p, %s, %i)
  return (%a, %h, %k))IR",
                      R"IR(
graph(%x : Tensor, %p : bool, %n : int, %c : float):
  %a : Tensor = aten::sigmoid(%x)
  %a0 : Tensor, %h : Tensor, %k : int = prim::Loop(%n, %p, %a, %x, %n)
    block0(%i : int, %u : Tensor, %v : Tensor, %w : int):
      %q : Tensor = aten::quantize_per_tensor(%u, %c, %n, %n)
      %d : Tensor = aten::dequantize(%q)
      %s : Tensor = aten::tanh(%v)
      -> (%p, %d, %s, %i)
  return (%a0, %h, %k))IR"),
              ElementsAre("sigmoid: sigmoid = sigmoid",
                          "u.quantize: sigmoid = quantize_per_tensor",
                          "tanh: tanh = tanh"));
}

TEST(QuantizePointsTest, ValueOfTheBlockItselfIsComparedWhereItIsMade) {
  constexpr char kLoop[] = R"IR(
graph(%x : Tensor, %p : bool, %s : float, %n : int):
  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %v : Tensor):
      QUANTIZE
      %a : Tensor = aten::sigmoid(%v)
      -> (%p, %a)
  return (%y))IR";
  EXPECT_EQ(
      ComparedWith(absl::StrReplaceAll(kLoop, {{"QUANTIZE", ""}}),
                   absl::StrReplaceAll(
                       kLoop, {{"QUANTIZE",
                                "%q : Tensor = "
                                "aten::quantize_per_tensor(%v, %s, %n, %n)"}})),
      "");
}

}  // namespace
}  // namespace ns
