// What PyTorch's tests claim of the FX suite's matcher, of ours: the table in
// tests/README.md says which test is for which case.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/engines.h"
#include "tests/testing/fx_cases.h"
#include "tests/testing/matches.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The reference knows one mode only, and what holds in it holds in ours, too.
MatchOptions Strict() {
  MatchOptions options;
  options.mode = MatchingMode::kStrict;
  return options;
}

// The matches of two models of a case, the same in both modes.
std::vector<std::string> Matches(const std::string& name,
                                 const std::string& stage_a,
                                 const std::string& stage_b) {
  const ModelGraph a = FxModel(name, stage_a);
  const ModelGraph b = FxModel(name, stage_b);
  const MatchResult aligned = OrThrow(MatchSubgraphs(a, b));
  const std::vector<std::string> lines = MatchLines(aligned);
  EXPECT_EQ(MatchLines(OrThrow(MatchSubgraphs(a, b, Strict()))), lines);
  EXPECT_THAT(UnmatchedLines(aligned.unmatched_a), IsEmpty());
  EXPECT_THAT(UnmatchedLines(aligned.unmatched_b), IsEmpty());
  return lines;
}

std::string StrictError(const std::string& name_a, const std::string& name_b) {
  return MessageOf(MatchSubgraphs(FxModel(name_a, "prepared"),
                                  FxModel(name_b, "prepared"), Strict()));
}

using ReferenceMatcherTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(ReferenceMatcherTest);

TEST_P(ReferenceMatcherTest, ModuleMatchesItsQuantizedForm) {
  EXPECT_THAT(Matches("conv", "prepared", "quantized"),
              ElementsAre("input.quantize: input = quantize_per_tensor",
                          "0: conv2d = conv2d"));
}

TEST_P(ReferenceMatcherTest, FunctionMatchesItsQuantizedForm) {
  EXPECT_THAT(Matches("linear_fun", "prepared", "quantized"),
              ElementsAre("x.quantize: x = quantize_per_tensor",
                          "linear: linear = linear"));
}

TEST_P(ReferenceMatcherTest, TwoFunctionsMatchTheirFusedForm) {
  EXPECT_THAT(Matches("linear_relu_fun", "prepared", "quantized"),
              ElementsAre("x.quantize: x = quantize_per_tensor",
                          "linear_relu: linear relu = linear_relu"));
}

TEST_P(ReferenceMatcherTest, ModulesInModulesMatch) {
  EXPECT_THAT(Matches("nested_convs", "prepared", "quantized"),
              ElementsAre("input.quantize: input = quantize_per_tensor",
                          "0.0: conv2d = conv2d", "1: conv2d = conv2d"));
}

TEST_P(ReferenceMatcherTest, OperatorsOnTensorsMatch) {
  EXPECT_THAT(
      Matches("add_tensors", "prepared", "quantized"),
      ElementsAre("x.quantize: x = quantize_per_tensor",
                  "y.quantize: y = quantize_per_tensor", "add: add = add"));
}

TEST_P(ReferenceMatcherTest, ModelsOfDifferentLengthsAreAnError) {
  EXPECT_THAT(StrictError("conv", "two_convs"),
              AllOf(HasSubstr("(aten::conv2d"),
                    HasSubstr("one model has more subgraphs")));
}

TEST_P(ReferenceMatcherTest, ModelsOfUnrelatedOpsAreAnError) {
  EXPECT_THAT(
      StrictError("conv", "linear"),
      AllOf(HasSubstr("'0' (aten::conv2d"), HasSubstr("'0' (aten::linear"),
            HasSubstr("are not related")));
}

TEST_P(ReferenceMatcherTest, EqualOpsBeforeCatMatchEach) {
  EXPECT_THAT(
      Matches("adds_before_cat", "prepared", "quantized"),
      ElementsAre("x.quantize: x = quantize_per_tensor", "add: add = add",
                  "add@1: add = add", "cat: cat = cat"));
}

TEST_P(ReferenceMatcherTest, OpsWhoseResultsAreReturnedInContainersMatch) {
  EXPECT_THAT(
      Matches("containers_out", "prepared", "quantized"),
      ElementsAre("x.quantize: x = quantize_per_tensor", "add: add = add",
                  "add@1: add = add", "add@2: add = add"));
}

TEST_P(ReferenceMatcherTest, OpsOfOneTypeOnBothSidesMatch) {
  EXPECT_THAT(Matches("mixed_types", "prepared", "quantized"),
              ElementsAre("x.quantize: x = quantize_per_tensor",
                          "conv1: conv2d = conv2d", "conv2: conv2d = conv2d",
                          "conv2.quantize: conv2d = quantize_per_tensor",
                          "mul: mul = mul", "sigmoid: sigmoid = sigmoid",
                          "relu: relu = relu"));
}

TEST_P(ReferenceMatcherTest, MethodsOfTensorsMatch) {
  EXPECT_THAT(Matches("sigmoid_method", "prepared", "prepared"),
              ElementsAre("sigmoid: sigmoid = sigmoid"));
}

TEST_P(ReferenceMatcherTest, UserFunctionMatchesTheOpItIsRelatedTo) {
  const ModelGraph a = FxModel("hardswish", "prepared");
  ModelGraphOptions leaf;
  leaf.is_leaf = LeafTypes({"user_hardswish"});
  const ModelGraph b = OrThrow(
      ModelGraph::FromModule(FxModule("user_hardswish", "prepared"), leaf));
  EXPECT_THAT(MessageOf(MatchSubgraphs(a, b, Strict())),
              HasSubstr("are not related"));
  MatchOptions related = Strict();
  NS_ASSERT_OK(related.relations.AddOpToSetsOfRelatedOps("user_hardswish",
                                                         "aten::hardswish"));
  EXPECT_THAT(MatchLines(OrThrow(MatchSubgraphs(a, b, related))),
              ElementsAre("user_hardswish: hardswish = user_hardswish"));
}

TEST_P(ReferenceMatcherTest, MatchesComeInOrderOfExecution) {
  const ModelGraph a = FxModel("conv_linear", "prepared");
  const ModelGraph b = FxModel("conv_linear", "quantized");
  const MatchResult result = OrThrow(MatchSubgraphs(a, b, Strict()));
  EXPECT_THAT(MatchNames(result), ElementsAre("input.quantize", "0", "1"));
  for (size_t i = 2; i < result.matches.size(); ++i) {
    const SubgraphMatch& earlier = result.matches[i - 1];
    const SubgraphMatch& later = result.matches[i];
    EXPECT_TRUE(earlier.a.subgraph.end->isBefore(later.a.subgraph.start));
    EXPECT_TRUE(earlier.b.subgraph.end->isBefore(later.b.subgraph.start));
  }
}

// The float model with the prepared one, and that with the quantized one.
void ExpectWholeNetworkMatches(const std::string& name) {
  for (const auto& [a, b] :
       {std::pair("float", "prepared"), std::pair("prepared", "quantized"),
        std::pair("float", "quantized")}) {
    SCOPED_TRACE(std::string(a) + " " + b);
    const ModelGraph model_a = FxModel(name, a);
    const ModelGraph model_b = FxModel(name, b);
    const MatchResult result =
        OrThrow(MatchSubgraphs(model_a, model_b, Strict()));
    int layers = 0;
    for (const SubgraphMatch& match : result.matches) {
      if (match.is_quantize_point) {
        continue;
      }
      ++layers;
      // FX takes the residual adds out of their modules.
      if (!match.b.fqn.empty()) {
        EXPECT_EQ(match.a.fqn, match.b.fqn) << match.name;
      }
    }
    // 52 convolutions, 10 residual adds, the pool, the flatten and the linear.
    EXPECT_EQ(layers, 65);
  }
}

TEST_P(ReferenceMatcherTest, MobilenetMatches) {
  ExpectWholeNetworkMatches("mobilenet_v2");
}

// Trained with their norm, convolutions are several ops, which are one layer.
TEST_P(ReferenceMatcherTest, TrainedMobilenetMatches) {
  ExpectWholeNetworkMatches("mobilenet_v2_qat");
}

}  // namespace
}  // namespace ns
