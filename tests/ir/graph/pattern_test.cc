#include "ir/graph/pattern.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kChain[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::tanh(%a)
  %c : Tensor = aten::relu_(%b)
  return (%c))IR";

class MatchChainTest : public testing::Test {
 protected:
  ChainMatch Match(absl::string_view text,
                   const std::vector<absl::string_view>& ops) {
    graph_ = GraphOf(text);
    return MatchChain(NodeOf(*graph_, "aten::neg"), ops);
  }
  torch::jit::Node* At(absl::string_view op) { return NodeOf(*graph_, op); }

  std::shared_ptr<torch::jit::Graph> graph_;
};

TEST_F(MatchChainTest, FindsChain) {
  const ChainMatch match = Match(kChain, {"aten::neg", "aten::tanh"});
  EXPECT_THAT(match.nodes, ElementsAre(At("aten::neg"), At("aten::tanh")));
}

TEST_F(MatchChainTest, FindsAlternativesAndInPlaceForms) {
  const ChainMatch match =
      Match(kChain, {"aten::neg", "aten::sigmoid|aten::tanh", "aten::relu"});
  EXPECT_THAT(match.nodes, ElementsAre(At("aten::neg"), At("aten::tanh"),
                                       At("aten::relu_")));
}

TEST_F(MatchChainTest, SaysWhichOpIsAnother) {
  const ChainMatch match = Match(kChain, {"aten::neg", "aten::relu"});
  EXPECT_FALSE(match);
  EXPECT_THAT(match.mismatch, HasSubstr("aten::tanh"));
  EXPECT_THAT(match.mismatch, HasSubstr("expected aten::relu"));
}

TEST_F(MatchChainTest, RefusesChainWhenAValueIsUsedTwice) {
  const ChainMatch match = Match(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::tanh(%a)
  return (%a, %b))IR",
                                 {"aten::neg", "aten::tanh"});
  EXPECT_FALSE(match);
  EXPECT_THAT(match.mismatch, HasSubstr("used 2 times"));
}

TEST_F(MatchChainTest, RefusesChainThroughSecondInput) {
  const ChainMatch match = Match(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::matmul(%x, %a)
  return (%b))IR",
                                 {"aten::neg", "aten::matmul"});
  EXPECT_FALSE(match);
  EXPECT_THAT(match.mismatch, HasSubstr("not the first input"));
}

TEST_F(MatchChainTest, RefusesChainThatLeavesItsBlock) {
  EXPECT_FALSE(Match(R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::neg(%x)
  %r : Tensor = prim::If(%p)
    block0():
      %b : Tensor = aten::tanh(%a)
      -> (%b)
    block1():
      -> (%x)
  return (%r))IR",
                     {"aten::neg", "aten::tanh"}));
}

TEST_F(MatchChainTest, RefusesChainThatEndsAtReturn) {
  EXPECT_FALSE(Match(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  return (%a))IR",
                     {"aten::neg", "aten::tanh"}));
}

}  // namespace
}  // namespace ns
