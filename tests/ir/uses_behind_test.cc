#include "ir/uses_behind.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using ::torch::jit::Use;

constexpr char kGraph[] = R"IR(
graph(%x : Tensor, %p : bool):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::neg(%a)
  %c : Tensor = aten::relu(%a)
  %d : Tensor = aten::tanh(%c)
  %e : Tensor = aten::mul(%c, %b)
  %f : Tensor = prim::If(%p)
    block0():
      %g : Tensor = aten::sigmoid(%c)
      -> (%g)
    block1():
      -> (%x)
  return (%d, %e, %f))IR";

std::string OpOf(const Use& use) { return use.user->kind().toUnqualString(); }

TEST(UsesBehindTest, FollowsWhatHandsOn) {
  const NamedGraph graph(kGraph);
  std::vector<std::string> seen;
  EXPECT_FALSE(HasUseBehind(
      *graph.Named("x"), [](const Use& use) { return OpOf(use) == "relu"; },
      [&](const Use& use) {
        seen.push_back(OpOf(use));
        return false;
      }));
  EXPECT_THAT(seen, UnorderedElementsAre("relu", "Return", "neg", "relu",
                                         "tanh", "mul", "sigmoid"));
}

// Each use is seen once, though two ways lead to the product.
TEST(UsesBehindTest, SeesEachUseOnceAndEntersNoControlFlow) {
  const NamedGraph graph(kGraph);
  const auto all_behind = [&](const char* name) {
    std::vector<std::string> seen;
    EXPECT_FALSE(HasUseBehind(
        *graph.Named(name), [](const Use&) { return true; },
        [&](const Use& use) {
          seen.push_back(OpOf(use));
          return false;
        }));
    return seen;
  };
  EXPECT_THAT(all_behind("a"),
              UnorderedElementsAre("neg", "relu", "mul", "tanh", "mul",
                                   "sigmoid", "Return", "Return", "Return"));
  EXPECT_THAT(all_behind("p"), ElementsAre("If"));
}

TEST(UsesBehindTest, EndsWhereSomethingIsFound) {
  const NamedGraph graph(kGraph);
  std::vector<std::string> asked;
  EXPECT_TRUE(HasUseBehind(
      *graph.Named("a"),
      [&](const Use& use) {
        asked.push_back(OpOf(use));
        return true;
      },
      [](const Use& use) { return OpOf(use) == "relu"; }));
  EXPECT_THAT(asked, ElementsAre("neg"));
}

}  // namespace
}  // namespace ns
