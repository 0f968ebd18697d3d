#include "passes/matching/graph_matcher.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Module;

ModelGraph Model(const Submodules& submodules,
                 const std::vector<std::string>& body) {
  return OrThrow(ModelGraph::FromModule(MakeModel(submodules, body)));
}

MatchResult Match(const ModelGraph& a, const ModelGraph& b) {
  return OrThrow(MatchSubgraphs(a, b));
}

at::Tensor Weight(at::IntArrayRef shape, int seed) {
  at::manual_seed(seed);
  return at::randn(shape);
}

class GraphMatcherTest : public testing::Test {
 protected:
  const at::Tensor w1_ = Weight({4, 4, 3, 3}, 1);
  const at::Tensor w2_ = Weight({4, 4, 3, 3}, 2);
  const at::Tensor w3_ = Weight({4, 4, 3, 3}, 3);
};

TEST_F(GraphMatcherTest, ConvBnReluIsOneQuantizedConvRelu) {
  const ModelGraph a = Model(
      {{"conv", Conv2d(w1_)}, {"bn", BatchNorm2d(4)}, {"relu", Relu()}},
      {"return self.relu.forward(self.bn.forward(self.conv.forward(x)))"});
  const ModelGraph b =
      Model({{"quant", Quantize()}, {"conv", QuantizedConv2d(w1_, true)}},
            {"return self.conv.forward(self.quant.forward(x))"});
  const MatchResult result = Match(a, b);
  EXPECT_THAT(MatchLines(result),
              ElementsAre("quant: x = quantize_per_tensor",
                          "conv: conv2d batch_norm relu = conv2d_relu"));
  EXPECT_THAT(result.unmatched_a, IsEmpty());
  EXPECT_THAT(result.unmatched_b, IsEmpty());
  const SubgraphMatch& conv = result.matches[1];
  EXPECT_EQ(conv.a.subgraph.base, NodeOf(a.graph(), "aten::conv2d"));
  EXPECT_EQ(conv.a.output, NodeOf(a.graph(), "aten::relu")->output());
  EXPECT_EQ(conv.b.output, conv.b.subgraph.end->output());
  EXPECT_EQ(conv.a.fqn, "conv");
  EXPECT_FALSE(conv.a.fqn_inferred);
}

TEST_F(GraphMatcherTest, LinearAndItsActivationAreOneQuantizedOp) {
  if (torch::jit::getAllOperatorsFor(
          c10::Symbol::fromQualString("quantized::linear_tanh"))
          .empty()) {
    GTEST_SKIP() << "only LibTorch 2 has the op";
  }
  const at::Tensor weight = Weight({4, 4}, 1);
  const c10::IValue packed = CallOp("quantized::linear_prepack",
                                    {QuantizeWeight(weight), c10::IValue()});
  for (const auto& [op, activation, arguments] :
       {std::tuple("linear_leaky_relu", "leaky_relu(y, 0.1)", "0.05, 64, 0.1"),
        std::tuple("linear_tanh", "tanh(y)", "0.01, 128")}) {
    const std::string name = op;
    const Module fc = MakeModule(
        "torch.nn.intrinsic.quantized.modules.linear_relu.LinearFused",
        "def forward(self, x: Tensor) -> Tensor:\n    return ops.quantized." +
            name + "(x, self.packed, " + arguments + ")\n",
        {{"packed", packed}});
    const ModelGraph a = Model(
        {{"fc", Linear(weight)}},
        {"y = self.fc.forward(x)", std::string("return torch.") + activation});
    const ModelGraph b =
        Model({{"quant", Quantize()}, {"fc", fc}},
              {"return self.fc.forward(self.quant.forward(x))"});
    EXPECT_THAT(MatchLines(Match(a, b)),
                ElementsAre("quant: x = quantize_per_tensor",
                            "fc: linear " + name.substr(7) + " = " + name));
  }
}

TEST_F(GraphMatcherTest, ModulesInAnotherOrderMatchByName) {
  const ModelGraph a =
      Model({{"one", Conv2d(w1_)}, {"two", Conv2d(w2_)}},
            {"return self.one.forward(x) + self.two.forward(x)"});
  const ModelGraph b =
      Model({{"one", QuantizedConv2d(w1_, false)},
             {"two", QuantizedConv2d(w2_, false)}},
            {"t = self.two.forward(x)",
             "return ops.quantized.add(self.one.forward(x), t, 0.1, 3)"});
  const MatchResult result = Match(a, b);
  EXPECT_THAT(MatchNames(result), ElementsAre("two", "one", "add"));
  for (const SubgraphMatch& match : result.matches) {
    EXPECT_EQ(match.a.fqn, match.b.fqn);
  }
}

// All nodes of `model` in the module "c".
void PutInModule(ModelGraph& model, const std::string& type) {
  for (torch::jit::Node* node : AllNodes(model.graph())) {
    node->setScope(ScopeFor({"c", 0, type}, model.graph().current_scope()));
  }
}

TEST_F(GraphMatcherTest, PadOfFusedModuleIsALayerOfItsOwn) {
  ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor, %w : Tensor, %n : int[], %g : int, %m : str, %v : float?):
  %p : Tensor = aten::pad(%x, %n, %m, %v)
  %c : Tensor = aten::conv2d(%p, %w, %w, %n, %n, %n, %g)
  %r : Tensor = aten::relu(%c)
  return (%r))IR");
  ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %w : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %n : int[], %z : int, %m : str, %v : float?, %s : float):
  %p : Tensor = aten::pad(%x, %n, %m, %v)
  %r : Tensor = quantized::conv2d_relu(%p, %w, %s, %z)
  return (%r))IR");
  PutInModule(a, "torch.nn.intrinsic.modules.fused.ConvReLU2d");
  PutInModule(b,
              "torch.ao.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d");
  for (const MatchingMode mode :
       {MatchingMode::kAligned, MatchingMode::kStrict}) {
    MatchOptions options;
    options.mode = mode;
    EXPECT_THAT(MatchLines(OrThrow(MatchSubgraphs(a, b, options))),
                ElementsAre("c: pad = pad", "c@1: conv2d relu = conv2d_relu"));
  }
}

// Names are gone on one side; shapes are equal and the order is not.
TEST_F(GraphMatcherTest, UnnamedLayersMatchByWeight) {
  const ModelGraph a = Model(
      {{"one", Conv2d(w1_)}, {"two", Conv2d(w2_)}, {"three", Conv2d(w3_)}},
      {"return self.one.forward(x) + self.two.forward(x) + "
       "self.three.forward(x)"});
  ModelGraph b = Model({{"p", QuantizedConv2d(w3_, false)},
                        {"q", QuantizedConv2d(w1_, false)},
                        {"r", QuantizedConv2d(w2_, false)}},
                       {"return torch.dequantize(self.p.forward(x)) + "
                        "torch.dequantize(self.q.forward(x)) + "
                        "torch.dequantize(self.r.forward(x))"});
  for (torch::jit::Node* node : AllNodes(b.graph())) {
    node->setScope(b.graph().current_scope());
  }
  const MatchResult result = Match(a, b);
  ASSERT_GE(result.matches.size(), 3);
  EXPECT_THAT(MatchNames(result),
              ElementsAre("three", "one", "add", "two", "add@1"));
  for (int i : {0, 1, 3}) {
    EXPECT_EQ(result.matches[i].b.fqn, result.matches[i].a.fqn);
    EXPECT_TRUE(result.matches[i].b.fqn_inferred);
    EXPECT_FALSE(result.matches[i].a.fqn_inferred);
  }
}

TEST_F(GraphMatcherTest, UnnamedFloatLayersWithBatchNormMatchByFoldedWeight) {
  ModelGraph a = Model({{"one", Conv2d(w1_)},
                        {"bn1", BatchNorm2d(4, 1)},
                        {"two", Conv2d(w2_)},
                        {"bn2", BatchNorm2d(4, 3)}},
                       {"return self.bn1.forward(self.one.forward(x)) + "
                        "self.bn2.forward(self.two.forward(x))"});
  const auto folded = [&](const at::Tensor& weight, int seed) {
    const Module bn = BatchNorm2d(4, seed);
    const at::Tensor scale = bn.attr("weight").toTensor() /
                             (bn.attr("running_var").toTensor() + 1e-5).sqrt();
    return weight * scale.reshape({4, 1, 1, 1});
  };
  const ModelGraph b =
      Model({{"two", QuantizedConv2d(folded(w2_, 3), false)},
             {"one", QuantizedConv2d(folded(w1_, 1), false)}},
            {"t = self.two.forward(x)",
             "return ops.quantized.add(self.one.forward(x), t, 0.1, 3)"});
  for (torch::jit::Node* node : AllNodes(a.graph())) {
    node->setScope(a.graph().current_scope());
  }
  const MatchResult result = Match(a, b);
  EXPECT_THAT(MatchLines(result),
              ElementsAre("two: conv2d batch_norm = conv2d",
                          "one: conv2d batch_norm = conv2d", "add: add = add"));
  EXPECT_EQ(result.matches[0].a.subgraph.base,
            NodeOf(a.graph(), "aten::conv2d", 1));
  EXPECT_TRUE(result.matches[0].a.fqn_inferred);
}

TEST_F(GraphMatcherTest, SecondCallOfAModuleIsNumbered) {
  const at::Tensor w = Weight({4, 4}, 1);
  const ModelGraph a = Model({{"fc", Linear(w)}},
                             {"return self.fc.forward(self.fc.forward(x))"});
  const ModelGraph b = Model({{"fc", QuantizedLinear(w, false)}},
                             {"return self.fc.forward(self.fc.forward(x))"});
  const MatchResult result = Match(a, b);
  EXPECT_THAT(MatchNames(result), ElementsAre("fc", "fc@1"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(result.matches[i].a.subgraph.base,
              NodeOf(a.graph(), "aten::linear", i));
  }
}

TEST_F(GraphMatcherTest, FunctionStyleOpIsNamedAfterItsCaller) {
  const auto block = [](const std::string& add) {
    return MakeModule("Block",
                      "def forward(self, x: Tensor) -> Tensor:\n"
                      "    return " +
                          add + "\n");
  };
  const ModelGraph a = Model({{"block", block("torch.relu_(x + x)")}},
                             {"return self.block.forward(x)"});
  const ModelGraph b =
      Model({{"block", block("ops.quantized.add_relu(x, x, 0.1, 3)")}},
            {"return self.block.forward(x)"});
  EXPECT_THAT(MatchLines(Match(a, b)),
              ElementsAre("block.add_relu: add relu_ = add_relu"));
}

TEST_F(GraphMatcherTest, QuantizePointsAreNamedAfterWhatTheyQuantize) {
  const ModelGraph a =
      Model({{"conv", Conv2d(w1_)}},
            {"return torch.sigmoid(torch.softmax(self.conv.forward(x), 1))"});
  const ModelGraph b =
      Model({{"conv", QuantizedConv2d(w1_, false)}},
            {"q = torch.quantize_per_tensor(x, 0.1, 0, 13)",
             "y = torch.softmax(torch.dequantize(self.conv.forward(q)), 1)",
             "return torch.sigmoid(torch.quantize_per_tensor(y, 0.1, 0, 13))"});
  EXPECT_THAT(MatchLines(Match(a, b)),
              ElementsAre("x.quantize: x = quantize_per_tensor",
                          "conv: conv2d = conv2d", "softmax: softmax = softmax",
                          "softmax.quantize: softmax = quantize_per_tensor",
                          "sigmoid: sigmoid = sigmoid"));
}

TEST_F(GraphMatcherTest, QuantizePointOfInputHasNoFloatSubgraph) {
  const ModelGraph a =
      Model({{"conv", Conv2d(w1_)}}, {"return self.conv.forward(x)"});
  const ModelGraph b =
      Model({{"quant", Quantize()}, {"conv", QuantizedConv2d(w1_, false)}},
            {"return self.conv.forward(self.quant.forward(x))"});
  const MatchResult result = Match(a, b);
  ASSERT_THAT(result.matches, SizeIs(2));
  EXPECT_TRUE(result.matches[0].is_quantize_point);
  EXPECT_EQ(result.matches[0].a.subgraph.start, nullptr);
  EXPECT_EQ(result.matches[0].a.output, a.graph().inputs()[1]);
  EXPECT_FALSE(result.matches[1].is_quantize_point);
}

TEST_F(GraphMatcherTest, ListsOpsThatTheOtherModelLacks) {
  const ModelGraph a = Model({{"conv", Conv2d(w1_)}},
                             {"return torch.softmax(self.conv.forward(x), 1)"});
  const ModelGraph b =
      Model({{"conv", QuantizedConv2d(w1_, false)}},
            {"return torch.max_pool2d(self.conv.forward(x), [2, 2])"});
  const MatchResult result = Match(a, b);
  EXPECT_THAT(MatchNames(result), ElementsAre("conv"));
  EXPECT_THAT(UnmatchedLines(result.unmatched_a),
              ElementsAre("aten::softmax: the quantized model has no op of "
                          "family 'softmax'"));
  EXPECT_THAT(UnmatchedLines(result.unmatched_b),
              ElementsAre("aten::max_pool2d: the float model has no op of "
                          "family 'max_pool2d'"));
}

TEST_F(GraphMatcherTest, OneMismatchedOpEndsStrictMatchingAlone) {
  const ModelGraph a = Model({{"conv", Conv2d(w1_)}},
                             {"return torch.softmax(self.conv.forward(x), 1)"});
  const ModelGraph b =
      Model({{"conv", QuantizedConv2d(w1_, false)}},
            {"return torch.max_pool2d(self.conv.forward(x), [2, 2])"});
  EXPECT_THAT(MatchNames(Match(a, b)), ElementsAre("conv"));
  MatchOptions strict;
  strict.mode = MatchingMode::kStrict;
  EXPECT_THAT(MessageOf(MatchSubgraphs(a, b, strict)),
              AllOf(HasSubstr("aten::softmax"), HasSubstr("aten::max_pool2d")));
}

TEST_F(GraphMatcherTest, OpInExcessIsLeftWithAReason) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::tanh(%x)
  return (%y))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::tanh(%x)
  %z : Tensor = aten::tanh(%y)
  return (%z))IR");
  const MatchResult result = Match(a, b);
  EXPECT_THAT(MatchNames(result), ElementsAre("tanh"));
  EXPECT_THAT(UnmatchedLines(result.unmatched_b),
              ElementsAre("aten::tanh: no op of family 'tanh' is left at this "
                          "place of the float model"));
  EXPECT_EQ(result.unmatched_b[0].node, NodeOf(b.graph(), "aten::tanh", 1));
}

// Without module paths, any other layer would be its twin.
TEST_F(GraphMatcherTest, OpsOfTheRootHaveNoTwin) {
  const char* const source =
      "def forward(self, x: Tensor) -> Tensor:\n"
      "  x = torch.conv2d(x, self.w)\n";
  const Attributes weights = {{"w", Weight({4, 3, 1, 1}, 1)},
                              {"v", Weight({4, 4, 1, 1}, 2)},
                              {"l", Weight({2, 8}, 3)}};
  const ModelGraph a = OrThrow(ModelGraph::FromModule(
      MakeModule("A",
                 absl::StrCat(source,
                              "  x = torch.conv2d(x, self.v)\n"
                              "  return torch.linear(x, self.l)\n"),
                 weights)));
  const ModelGraph b = OrThrow(ModelGraph::FromModule(MakeModule(
      "B", absl::StrCat(source, "  return torch.linear(x, self.l)\n"),
      weights)));
  EXPECT_THAT(UnmatchedLines(Match(a, b).unmatched_a),
              ElementsAre("aten::conv2d: no op of family 'conv2d' is left at "
                          "this place of the quantized model"));
}

// Nothing comes in that is no constant.
TEST_F(GraphMatcherTest, OpsWithoutDataAreMatched) {
  const char* const text = R"IR(
graph(%x : Tensor, %scale : float):
  %zero : int = prim::Constant[value=0]()
  %quint8 : int = prim::Constant[value=13]()
  %none : NoneType = prim::Constant()
  %half : float = prim::Constant[value=0.5]()
  %w : Tensor = aten::scalar_tensor(%half, %none, %none, %none, %none)
  %q : Tensor = aten::quantize_per_tensor(%w, %half, %zero, %quint8)
  %d : Tensor = aten::dequantize(%q)
  %t : Tensor = aten::tanh(%d)
  %y : Tensor = aten::mul(%x, %t)
  return (%y))IR";
  EXPECT_THAT(MatchNames(Match(ModelOf(text), ModelOf(text))),
              ::testing::Contains("mul"));
}

TEST_F(GraphMatcherTest, LayersWhoseWeightShapesDifferStayUnmatched) {
  const ModelGraph a =
      Model({{"fc", Linear(Weight({4, 4}, 1))}}, {"return self.fc.forward(x)"});
  const ModelGraph b =
      Model({{"fc", QuantizedLinear(Weight({6, 4}, 1), false)}},
            {"return self.fc.forward(x)"});
  const MatchResult result = Match(a, b);
  EXPECT_THAT(result.matches, IsEmpty());
  EXPECT_THAT(UnmatchedLines(result.unmatched_a),
              ElementsAre("aten::linear: weight shapes differ: [4, 4] here, "
                          "[6, 4] in the quantized model"));
  EXPECT_THAT(UnmatchedLines(result.unmatched_b),
              ElementsAre("quantized::linear: weight shapes differ: [6, 4] "
                          "here, [4, 4] in the float model"));
}

TEST_F(GraphMatcherTest, UserRelationMatchesOps) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::erfinv(%x)
  return (%y))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::sigmoid(%x)
  return (%y))IR");
  EXPECT_THAT(Match(a, b).matches, IsEmpty());
  MatchOptions options;
  NS_ASSERT_OK(options.relations.AddOpToSetsOfRelatedOps("aten::erfinv",
                                                         "aten::sigmoid"));
  EXPECT_THAT(MatchLines(OrThrow(MatchSubgraphs(a, b, options))),
              ElementsAre("sigmoid: erfinv = sigmoid"));
}

TEST_F(GraphMatcherTest, EmptyGraphsMatch) {
  const char* empty = R"IR(
graph(%x : Tensor):
  return (%x))IR";
  const MatchResult result = Match(ModelOf(empty), ModelOf(empty));
  EXPECT_THAT(result.matches, IsEmpty());
  EXPECT_THAT(result.unmatched_a, IsEmpty());
  EXPECT_THAT(result.unmatched_b, IsEmpty());
}

}  // namespace
}  // namespace ns
