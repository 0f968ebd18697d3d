// Through MatchSubgraphs, which names the points.
#include "passes/matching/quantize_points.h"

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

}  // namespace
}  // namespace ns
