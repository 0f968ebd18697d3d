// Through MatchSubgraphs: a quantize node of B behind a prim::If is compared
// with the prim::If of A.
#include "passes/matching/choice_of_moves.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Node;

constexpr char kTranspose[] = "aten::transpose(%a, %zero, %one)";

// A prim::If that moves %a, or does not.
std::string Choice(absl::string_view name, absl::string_view condition,
                   absl::string_view moved, absl::string_view passed = "%a") {
  return absl::StrCat("  ", name, " : Tensor = prim::If(", condition, R"IR()
    block0():
      %m : Tensor = )IR",
                      moved, R"IR(
      -> (%m)
    block1():
      -> ()IR",
                      passed, ")\n");
}

std::string Model(absl::string_view body, absl::string_view result) {
  return absl::StrCat(R"IR(
graph(%x : Tensor, %p : bool, %q : bool, %sizes : int[], %s : float, %n : int):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::sigmoid(%x)
)IR",
                      body, "  %t : Tensor[] = prim::ListConstruct(", result,
                      ")\n  return (%t)");
}

constexpr char kQuantize[] =
    "  %e : Tensor = aten::quantize_per_tensor(%c, %s, %n, %n)\n";

// The places of the prim::Ifs of A, among all of them, that quantize nodes of B
// are compared with.
std::vector<int> ComparedChoices(const std::string& text_a,
                                 const std::string& text_b) {
  const ModelGraph a = ModelOf(text_a);
  const ModelGraph b = ModelOf(text_b);
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  std::vector<int> compared;
  for (const SubgraphMatch& match : result.matches) {
    int place = 0;
    for (const Node* node : a.graph().nodes()) {
      if (match.is_quantize_point && match.a.output->node() == node &&
          node->kind() == c10::prim::If) {
        compared.push_back(place);
      }
      place += node->kind() == c10::prim::If ? 1 : 0;
    }
  }
  return compared;
}

TEST(CounterpartOfChoiceTest, MovesTheSameValueInTheSameWay) {
  const std::string a = Model(Choice("%c", "%p", kTranspose), "%c");
  const auto b_with = [](absl::string_view moved) {
    return Model(absl::StrCat(Choice("%c", "%p", moved), kQuantize), "%e");
  };
  EXPECT_THAT(ComparedChoices(a, b_with(kTranspose)), ElementsAre(0));
  EXPECT_THAT(ComparedChoices(a, b_with("aten::flatten(%a, %zero, %one)")),
              IsEmpty());
  EXPECT_THAT(ComparedChoices(a, b_with("aten::transpose(%x, %zero, %one)")),
              IsEmpty());
}

TEST(CounterpartOfChoiceTest, MayDequantizeInItsArms) {
  const std::string b = Model(absl::StrCat(R"IR(
  %h : Tensor = aten::quantize_per_tensor(%a, %s, %n, %n)
  %d : Tensor = aten::dequantize(%h)
  %c : Tensor = prim::If(%p)
    block0():
      %m : Tensor = aten::transpose(%h, %zero, %one)
      %k : Tensor = aten::dequantize(%m)
      -> (%k)
    block1():
      -> (%d)
)IR",
                                           kQuantize),
                              "%e");
  EXPECT_THAT(ComparedChoices(Model(Choice("%c", "%p", kTranspose), "%c"), b),
              ElementsAre(0));
}

TEST(CounterpartOfChoiceTest, IsTheOneAtItsPlaceAmongSeveral) {
  const std::string first = Choice("%f", "%q", kTranspose);
  const std::string second = Choice("%c", "%p", kTranspose);
  EXPECT_THAT(
      ComparedChoices(Model(absl::StrCat(first, second), "%f, %c"),
                      Model(absl::StrCat(first, second, kQuantize), "%f, %e")),
      ElementsAre(1));
  EXPECT_THAT(
      ComparedChoices(Model(absl::StrCat(second, first), "%f, %c"),
                      Model(absl::StrCat(second, first, kQuantize), "%f, %e")),
      ElementsAre(0));
}

// A view of A is a reshape in B, and neither is a comparison point.
TEST(CounterpartOfChoiceTest, MayStandBehindAReshape) {
  const std::string choice =
      Choice("%c", "%p", "aten::squeeze(%v, %zero)", "%v");
  const std::string view = "  %v : Tensor = aten::view(%a, %sizes)\n";
  const std::string b =
      Model(absl::StrCat("  %v : Tensor = aten::reshape(%a, %sizes)\n", choice,
                         kQuantize),
            "%e");
  EXPECT_THAT(ComparedChoices(Model(absl::StrCat(view, choice), "%c"), b),
              ElementsAre(0));
  // Which of two views it is, the graph does not tell.
  EXPECT_THAT(ComparedChoices(
                  Model(absl::StrCat("  %w : Tensor = aten::view(%a, %sizes)\n",
                                     view, choice),
                        "%c, %w"),
                  b),
              IsEmpty());
}

}  // namespace
}  // namespace ns
