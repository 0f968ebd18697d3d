#include "passes/matching/strict_matcher.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/ir.h"
#include "tests/testing/matches.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

MatchOptions Strict() {
  MatchOptions options;
  options.mode = MatchingMode::kStrict;
  return options;
}

constexpr char kConvRelu[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor, %s : int[], %g : int):
  %c : Tensor = aten::conv2d(%x, %w, %b, %s, %s, %s, %g)
  %r : Tensor = aten::relu(%c)
  %t : Tensor = aten::tanh(%r)
  return (%t))IR";

std::string ErrorOf(absl::string_view a, absl::string_view b) {
  const auto result = MatchSubgraphs(ModelOf(a), ModelOf(b), Strict());
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(MessageOf(result), Not(HasSubstr("\n")));
  return MessageOf(result);
}

TEST(StrictMatcherTest, MatchesFusedOps) {
  const ModelGraph a = ModelOf(kConvRelu);
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %p : __torch__.torch.classes.quantized.Conv2dPackedParamsBase, %s : float, %z : int):
  %c : Tensor = quantized::conv2d_relu(%x, %p, %s, %z)
  %d : Tensor = aten::dequantize(%c)
  %t : Tensor = aten::tanh(%d)
  return (%t))IR");
  const MatchResult result = OrThrow(MatchSubgraphs(a, b, Strict()));
  EXPECT_THAT(MatchLines(result),
              ElementsAre("conv2d_relu: conv2d relu = conv2d_relu",
                          "tanh: tanh = tanh"));
}

TEST(StrictMatcherTest, TakesConvBatchNormReluAsOne) {
  const char* text = R"IR(
graph(%x : Tensor, %w : Tensor, %s : int[], %g : int, %no : bool, %f : float):
  %c : Tensor = aten::conv2d(%x, %w, %w, %s, %s, %s, %g)
  %n : Tensor = aten::batch_norm(%c, %w, %w, %w, %w, %no, %f, %f, %no)
  %r : Tensor = aten::relu_(%n)
  return (%r))IR";
  const ModelGraph a = ModelOf(text);
  const ModelGraph b = ModelOf(text);
  EXPECT_THAT(MatchLines(OrThrow(MatchSubgraphs(a, b, Strict()))),
              ElementsAre("conv2d: conv2d batch_norm relu_ = conv2d "
                          "batch_norm relu_"));
}

TEST(StrictMatcherTest, EntersControlFlow) {
  const char* text = R"IR(
graph(%x : Tensor, %n : int, %go : bool):
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %v : Tensor):
      %a : Tensor = aten::sigmoid(%v)
      -> (%go, %a)
  return (%y))IR";
  const ModelGraph a = ModelOf(text);
  const ModelGraph b = ModelOf(text);
  EXPECT_THAT(MatchNames(OrThrow(MatchSubgraphs(a, b, Strict()))),
              ElementsAre("sigmoid"));
}

// Segmentation models fill a dict; FX writes it down.
TEST(StrictMatcherTest, FindsWhatIsPutIntoDict) {
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor, %k : str):
  %d : Dict(str, Tensor) = aten::dict()
  %a : Tensor = aten::sigmoid(%x)
  aten::_set_item(%d, %k, %a)
  return (%d))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor, %k : str):
  %a : Tensor = aten::sigmoid(%x)
  %d : Dict(str, Tensor) = prim::DictConstruct(%k, %a)
  return (%d))IR");
  EXPECT_THAT(MatchLines(OrThrow(MatchSubgraphs(a, b, Strict()))),
              ElementsAre("sigmoid: sigmoid = sigmoid"));
}

TEST(StrictMatcherTest, NamesBothSubgraphsWhenNotRelated) {
  EXPECT_THAT(ErrorOf(kConvRelu, R"IR(
graph(%x : Tensor):
  %t : Tensor = aten::softplus(%x, %x, %x)
  return (%t))IR"),
              AllOf(HasSubstr("aten::tanh"), HasSubstr("aten::softplus"),
                    HasSubstr("are not related")));
}

TEST(StrictMatcherTest, FailsWhenFloatModelHasMoreSubgraphs) {
  EXPECT_THAT(ErrorOf(kConvRelu, R"IR(
graph(%x : Tensor):
  %t : Tensor = aten::tanh(%x)
  return (%t))IR"),
              AllOf(HasSubstr("aten::conv2d"), HasSubstr("nothing"),
                    HasSubstr("more subgraphs")));
}

TEST(StrictMatcherTest, FailsWhenQuantizedModelHasMoreSubgraphs) {
  EXPECT_THAT(ErrorOf(R"IR(
graph(%x : Tensor):
  %t : Tensor = aten::tanh(%x)
  return (%t))IR",
                      kConvRelu),
              AllOf(HasSubstr("aten::conv2d"), HasSubstr("more subgraphs")));
}

TEST(StrictMatcherTest, UserRelationMakesOpsMatch) {
  MatchOptions options = Strict();
  NS_ASSERT_OK(
      options.relations.AddOpToSetsOfRelatedOps("aten::erfinv", "aten::tanh"));
  const ModelGraph a = ModelOf(R"IR(
graph(%x : Tensor):
  %t : Tensor = aten::erfinv(%x)
  return (%t))IR");
  const ModelGraph b = ModelOf(R"IR(
graph(%x : Tensor):
  %t : Tensor = aten::tanh(%x)
  return (%t))IR");
  EXPECT_THAT(MatchNames(OrThrow(MatchSubgraphs(a, b, options))),
              ElementsAre("tanh"));
}

}  // namespace
}  // namespace ns
