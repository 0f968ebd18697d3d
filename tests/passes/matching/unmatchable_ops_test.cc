// What the user does not want to have matched.
#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MatchOptions Without(const std::vector<std::string>& ops,
                     MatchingMode mode = MatchingMode::kAligned) {
  MatchOptions options;
  options.mode = mode;
  for (const std::string& op : ops) {
    NS_EXPECT_OK(options.unmatchable.Add(op));
  }
  return options;
}

constexpr MatchingMode kModes[] = {MatchingMode::kAligned,
                                   MatchingMode::kStrict};

constexpr char kChain[] = R"IR(
graph(%x : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %t : Tensor = aten::tanh_(%s)
  %n : Tensor = aten::neg(%t)
  return (%n))IR";

TEST(UnmatchableOpsTest, AreNeitherMatchedNorListed) {
  const ModelGraph a = ModelOf(kChain);
  const ModelGraph b = ModelOf(kChain);
  for (const MatchingMode mode : kModes) {
    EXPECT_THAT(MatchNames(OrThrow(MatchSubgraphs(a, b, Without({}, mode)))),
                ElementsAre("sigmoid", "tanh", "neg"));
    const MatchResult result =
        OrThrow(MatchSubgraphs(a, b, Without({"aten::tanh"}, mode)));
    EXPECT_THAT(MatchNames(result), ElementsAre("sigmoid", "neg"));
    EXPECT_THAT(result.unmatched_a, IsEmpty());
    EXPECT_THAT(result.unmatched_b, IsEmpty());
  }
}

// Strict matching stops at the first op that one model alone has.
TEST(UnmatchableOpsTest, MayBeInOneModelOnly) {
  const ModelGraph a = ModelOf(kChain);
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor):
  %s : Tensor = aten::sigmoid(%x)
  %n : Tensor = aten::neg(%s)
  return (%n))IR");
  EXPECT_FALSE(MatchSubgraphs(a, b, Without({}, MatchingMode::kStrict)).ok());
  for (const MatchingMode mode : kModes) {
    EXPECT_THAT(MatchNames(OrThrow(
                    MatchSubgraphs(a, b, Without({"aten::tanh_"}, mode)))),
                ElementsAre("sigmoid", "neg"));
  }
}

// Two branches, exchanged in B: their order does not tell which is which, but
// what flows into them through the unmatchable ops does.
TEST(UnmatchableOpsTest, DataFlowsThroughThem) {
  const char* const in_order = R"IR(
graph(%x : Tensor, %y : Tensor):
  %t : Tensor = aten::exp(%x)
  %n : Tensor = aten::neg(%t)
  %u : Tensor = aten::exp(%y)
  %m : Tensor = aten::neg(%u)
  %c : Tensor = aten::mul(%n, %m)
  return (%c))IR";
  const char* const exchanged = R"IR(
graph(%x : Tensor, %y : Tensor):
  %u : Tensor = aten::exp(%y)
  %m : Tensor = aten::neg(%u)
  %t : Tensor = aten::exp(%x)
  %n : Tensor = aten::neg(%t)
  %c : Tensor = aten::mul(%n, %m)
  return (%c))IR";
  const ModelGraph a = ModelOf(in_order);
  const ModelGraph b = ModelOf(exchanged);
  const MatchResult result =
      OrThrow(MatchSubgraphs(a, b, Without({"aten::exp"})));
  // The input of the graph that a neg is made from.
  const auto input_of = [](const MatchedSide& side) {
    return side.subgraph.base->input()->node()->input()->offset();
  };
  ASSERT_THAT(MatchNames(result), ElementsAre("neg", "neg@1", "mul"));
  for (int i : {0, 1}) {
    EXPECT_EQ(input_of(result.matches[i].a), input_of(result.matches[i].b));
  }
}

// A relu is fused into the convolution of B; leaving relus out does not take
// this layer from the comparison.
TEST(UnmatchableOpsTest, MayBePartOfASubgraph) {
  const at::Tensor weight = at::randn({4, 4, 3, 3});
  const ModelGraph a = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(weight)}, {"relu", Relu()}},
                {"y = self.relu.forward(self.conv.forward(x))",
                 "return torch.relu(torch.neg(y))"})));
  const ModelGraph b = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"quant", Quantize()}, {"conv", QuantizedConv2d(weight, true)}},
      {"y = self.conv.forward(self.quant.forward(x))",
       "return torch.relu(torch.neg(torch.dequantize(y)))"})));
  const MatchResult result =
      OrThrow(MatchSubgraphs(a, b, Without({"aten::relu"})));
  EXPECT_THAT(MatchLines(result),
              ElementsAre("quant: x = quantize_per_tensor",
                          "conv: conv2d relu = conv2d_relu", "neg: neg = neg"));
  EXPECT_THAT(result.unmatched_a, IsEmpty());
}

TEST(UnmatchableOpsTest, TypesStandForTheOpsOfSuchModules) {
  const auto gate = MakeModule("my.package.Gate",
                               "def forward(self, x: Tensor) -> Tensor:\n"
                               "    y = self.act.forward(torch.sigmoid(x))\n"
                               "    return torch.neg(y)\n",
                               {}, {{"act", Relu()}});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"gate", gate}}, {"return torch.neg(self.gate.forward(x))"})));
  EXPECT_THAT(MatchNames(OrThrow(MatchSubgraphs(model, model))),
              ElementsAre("gate.sigmoid", "gate.act", "gate.neg", "neg"));
  for (const char* name : {"Gate", "my.package.Gate"}) {
    EXPECT_THAT(
        MatchNames(OrThrow(MatchSubgraphs(model, model, Without({name})))),
        ElementsAre("gate.act", "neg"));
  }
}

TEST(UnmatchableOpsTest, TypesStandForLeaves) {
  const auto block = MakeModule("Block",
                                "def forward(self, x: Tensor) -> Tensor:\n"
                                "    return torch.neg(torch.relu(x))\n");
  ModelGraphOptions options;
  options.is_leaf = LeafTypes({"Block"});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"block", block}},
                {"return torch.neg(self.block.forward(x))"}),
      options));
  EXPECT_THAT(
      MatchNames(OrThrow(MatchSubgraphs(model, model, Without({"Block"})))),
      ElementsAre("neg"));
}

TEST(UnmatchableOpsTest, TypeThatNeitherModelHasIsAnError) {
  const ModelGraph model = ModelOf(kChain);
  EXPECT_THAT(MessageOf(MatchSubgraphs(model, model, Without({"Gat"}))),
              HasSubstr("'Gat' is not to be matched, and neither model"));
}

TEST(UnmatchableOpsTest, RefusesUnknownOperators) {
  UnmatchableOps ops;
  EXPECT_TRUE(ops.empty());
  EXPECT_EQ(ops.Add("aten::no_such_op").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ops.Add("").code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(ops.empty());
}

// Relations of the user's instead of the built-in ones.
TEST(SetsOfRelatedOpsTest, DecideWhatMatches) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor, %l : int, %h : int):
  %y : Tensor = aten::clamp(%x, %l, %h)
  return (%y))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %l : int, %h : int):
  %y : Tensor = aten::hardtanh(%x, %l, %h)
  return (%y))IR");
  EXPECT_THAT(MatchNames(OrThrow(MatchSubgraphs(a, b))),
              ElementsAre("hardtanh"));
  SetsOfRelatedOps sets = OpRelations().BaseNameToSetsOfRelatedOps();
  sets["hardtanh"].erase("aten::clamp");
  MatchOptions options;
  options.relations = OrThrow(OpRelations::FromSets(sets));
  const MatchResult result = OrThrow(MatchSubgraphs(a, b, options));
  EXPECT_THAT(result.matches, IsEmpty());
  EXPECT_THAT(UnmatchedLines(result.unmatched_a),
              ElementsAre("aten::clamp: the quantized model has no op of "
                          "family 'aten::clamp'"));
}

}  // namespace
}  // namespace ns
