// On whole models: which op of one a matcher takes for which of the other,
// where only the values tell that an op takes.
#include "passes/matching/counterpart_by_data.h"

#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;

// The values of A that are compared, by those of B, where they have different
// names; with what is unmatched.
std::map<std::string, std::string> Crossed(const ModelGraph& a,
                                           const ModelGraph& b) {
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  std::map<std::string, std::string> crossed;
  for (const SubgraphMatch& match : result.matches) {
    const std::string of_a = match.a.output->debugName();
    const std::string of_b = match.b.output->debugName();
    if (of_a != of_b || !match.unpaired_input.empty()) {
      crossed[of_b] = of_a + match.unpaired_input;
    }
  }
  for (const auto* unmatched : {&result.unmatched_a, &result.unmatched_b}) {
    for (const UnmatchedOp& op : *unmatched) {
      crossed[op.node->output(0)->debugName()] = op.reason;
    }
  }
  return crossed;
}

// Expects that each value that A returns is compared with the one that B
// returns at the same place.
void ExpectOutputsMatch(const ModelGraph& a, const ModelGraph& b) {
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  const auto of_a = a.graph().outputs();
  const auto of_b = b.graph().outputs();
  size_t found = 0;
  for (const SubgraphMatch& match : result.matches) {
    for (size_t i = 0; i < of_b.size(); ++i) {
      if (match.b.output == of_b[i]) {
        EXPECT_EQ(match.a.output, of_a[i]) << "output " << i;
        ++found;
      }
    }
  }
  EXPECT_EQ(found, of_b.size());
}

// Of a method `forward(self, x: Tensor)` with these lines.
std::map<std::string, std::string> CrossedInItself(const std::string& lines) {
  const torch::jit::Module module =
      MakeModule("Model", "def forward(self, x: Tensor) -> Tensor:\n" + lines);
  return Crossed(OrThrow(ModelGraph::FromModule(module)),
                 OrThrow(ModelGraph::FromModule(module)));
}

TEST(CounterpartByDataTest, OpThatTakesAGrownListIsItself) {
  EXPECT_THAT(CrossedInItself(R"(
    y = torch.tanh(x)
    l = [y]
    l.append(torch.sigmoid(x))
    c = torch.cat(l, 1)
    return torch.cat([y, c], 1)
)"),
              IsEmpty());
}

TEST(CounterpartByDataTest, SumInPlaceIsItself) {
  EXPECT_THAT(CrossedInItself(R"(
    v = (x - x.mean()).clone()
    v += x
    w = torch.relu(x) + x
    if bool(x.sum() > 1.0):
        r = torch.sigmoid(v)
    else:
        r = w.roll(1)
    return r
)"),
              IsEmpty());
}

TEST(CounterpartByDataTest, ProductThatIsWrittenToASliceIsItself) {
  EXPECT_THAT(CrossedInItself(R"(
    y = x + 1.0
    y[:, ::2] *= 2.0
    return y * 0.5
)"),
              IsEmpty());
  EXPECT_THAT(CrossedInItself(R"(
    x[0] = x[0] * 2.0
    return x * 1.5
)"),
              IsEmpty());
}

TEST(CounterpartByDataTest, UsersOfViewsOfOneValueAreThemselves) {
  EXPECT_THAT(CrossedInItself(R"(
    w = (1.0 - x[:, None, :]) * 2.0
    k = x.unsqueeze(-1)
    return w + k * 3.0
)"),
              IsEmpty());
  EXPECT_THAT(CrossedInItself(R"(
    w = (1.0 - x[:, 0]) * 2.0
    k = x[:, 1]
    return w + k * 3.0
)"),
              IsEmpty());
}

// The two products of A, in one order and in the other: what they take tells.
std::string Products(bool second_first) {
  const std::string first = R"IR(
  %s : Tensor = aten::select(%x, %one, %zero)
  %a : Tensor = aten::mul(%s, %y))IR";
  const std::string second = R"IR(
  %t : Tensor = aten::select(%x, %one, %one)
  %b : Tensor = aten::mul(%t, %y))IR";
  return R"IR(
graph(%x : Tensor, %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]())IR" +
         (second_first ? second + first : first + second) + R"IR(
  return (%a, %b))IR";
}

TEST(CounterpartByDataTest, ConstantsOfViewsTellProductsApart) {
  ExpectOutputsMatch(ModelOf(Products(false)), ModelOf(Products(true)));
}

TEST(CounterpartByDataTest, ConstantsOfTheOpsTellThemApart) {
  constexpr char kOne[] = R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::softmax(%x, %zero, %none)
  %b : Tensor = aten::softmax(%x, %one, %none)
  return (%a, %b))IR";
  constexpr char kOther[] = R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %b : Tensor = aten::softmax(%x, %one, %none)
  %a : Tensor = aten::softmax(%x, %zero, %none)
  return (%a, %b))IR";
  ExpectOutputsMatch(ModelOf(kOne), ModelOf(kOther));
}

// The quantized op comes after a view that is quantized, too.
TEST(CounterpartByDataTest, QuantizingDoesNotCountAsAStep) {
  constexpr char kFloat[] = R"IR(
graph(%x : Tensor, %n : int[], %s : float, %z : int, %d : int, %y : Tensor):
  %v : Tensor = aten::view(%x, %n)
  %a : Tensor = aten::mul(%v, %y)
  %b : Tensor = aten::mul(%x, %y)
  return (%a, %b))IR";
  constexpr char kQuantized[] = R"IR(
graph(%x : Tensor, %n : int[], %s : float, %z : int, %d : int, %y : Tensor):
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %d)
  %v : Tensor = aten::view(%q, %n)
  %b : Tensor = quantized::mul(%q, %y, %s, %z)
  %a : Tensor = quantized::mul(%v, %y, %s, %z)
  return (%a, %b))IR";
  ExpectOutputsMatch(ModelOf(kFloat), ModelOf(kQuantized));
}

}  // namespace
}  // namespace ns
