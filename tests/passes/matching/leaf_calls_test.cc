// Modules of the user's that are one op each.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "passes/extraction/extract_logger_info.h"
#include "passes/instrument/add_loggers.h"
#include "passes/instrument/add_shadow_loggers.h"
#include "passes/matching/graph_matcher.h"
#include "tests/testing/matches.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

torch::jit::Module Block(const std::string& type, double scale) {
  return MakeModule(type,
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    y = torch.mul(x, self.scale)\n"
                    "    return torch.relu(torch.neg(y))\n",
                    {{"scale", scale}});
}

// A model that calls one block twice.
ModelGraph Model(const std::string& type, double scale) {
  ModelGraphOptions options;
  options.is_leaf = LeafTypes({"FloatBlock", "my.package.OtherBlock"});
  return OrThrow(ModelGraph::FromModule(
      MakeModel({{"block", Block(type, scale)}},
                {"x = self.block.forward(torch.sigmoid(x))",
                 "return self.block.forward(x)"}),
      options));
}

MatchOptions Related() {
  MatchOptions options;
  NS_EXPECT_OK(
      options.relations.AddOpToSetsOfRelatedOps("OtherBlock", "FloatBlock"));
  return options;
}

TEST(LeafCallsTest, CallsOfOneTypeMatch) {
  const ModelGraph a = Model("FloatBlock", 2);
  const ModelGraph b = Model("FloatBlock", 2.5);
  const MatchResult result = OrThrow(MatchSubgraphs(a, b));
  EXPECT_THAT(MatchLines(result),
              ElementsAre("sigmoid: sigmoid = sigmoid",
                          "block: FloatBlock = FloatBlock",
                          "block@1: FloatBlock = FloatBlock"));
}

TEST(LeafCallsTest, OtherTypesMatchWhereTheUserRelatesThem) {
  const ModelGraph a = Model("FloatBlock", 2);
  const ModelGraph b = Model("my.package.OtherBlock", 2.5);
  const MatchResult apart = OrThrow(MatchSubgraphs(a, b));
  EXPECT_EQ(apart.matches.size(), 1);
  EXPECT_EQ(apart.unmatched_b.size(), 2);
  const MatchResult together = OrThrow(MatchSubgraphs(a, b, Related()));
  EXPECT_EQ(together.matches.size(), 3);
  EXPECT_THAT(together.unmatched_a, IsEmpty());
}

TEST(LeafCallsTest, RelationOfWhatIsNoLeafIsAnErrorOnEitherSide) {
  const ModelGraph a = Model("FloatBlock", 2);
  for (const bool missing_first : {true, false}) {
    MatchOptions options;
    NS_ASSERT_OK(options.relations.AddOpToSetsOfRelatedOps(
        missing_first ? "Missing" : "FloatBlock",
        missing_first ? "FloatBlock" : "Missing"));
    EXPECT_THAT(MessageOf(MatchSubgraphs(a, a, options)),
                HasSubstr("'Missing' is related, and neither model calls it"));
  }
}

TEST(LeafCallsTest, LeavesAreLoggedAsOneOp) {
  ModelGraph a = Model("FloatBlock", 2);
  ModelGraph b = Model("my.package.OtherBlock", 2.5);
  NS_ASSERT_OK(
      AddLoggers("a", a, "b", b, OrThrow(MatchSubgraphs(a, b, Related()))));
  const at::Tensor x = at::randn({4});
  OrThrow(b.Run({x}));
  const Results results = OrThrow(ExtractLoggerInfo({b.module()}));
  EXPECT_TRUE(results.Find("block")
                  ->at(kNodeOutputResult)
                  .at("b")
                  .at(0)
                  .values.at(0)
                  .equal((-(x.sigmoid() * 2.5)).relu()));
}

TEST(LeafCallsTest, LeavesShadowLeaves) {
  const ModelGraph a = Model("FloatBlock", -2);
  ModelGraph b = Model("my.package.OtherBlock", -2.5);
  const auto not_shadowed = OrThrow(AddShadowLoggers(
      "a", a, "b", b, OrThrow(MatchSubgraphs(a, b, Related()))));
  EXPECT_THAT(not_shadowed, IsEmpty());
  const at::Tensor x = at::randn({4});
  const at::Tensor first = x.sigmoid() * 2.5;
  EXPECT_TRUE(OrThrow(b.Run({x})).toTensor().allclose(first * 2.5));
  const Results results = OrThrow(ExtractLoggerInfo({b.module()}));
  EXPECT_TRUE(results.Find("block@1")
                  ->at(kNodeOutputResult)
                  .at("a")
                  .at(0)
                  .values.at(0)
                  .allclose(first * 2));
}

}  // namespace
}  // namespace ns
