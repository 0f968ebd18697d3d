#include "ns/suite/result_of_matches.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ResultOfMatchesTest : public testing::Test {
 protected:
  ResultOfMatchesTest()
      : a_(OrThrow(ModelGraph::FromModule(
            MakeModel({{"fc", Linear(weight_)}},
                      {"return torch.sin(torch.relu(self.fc.forward(x)))"})))),
        b_(OrThrow(ModelGraph::FromModule(
            MakeModel({{"quant", Quantize()},
                       {"fc", QuantizedLinear(weight_, true)},
                       {"dequant", DeQuantize()}},
                      {"x = self.fc.forward(self.quant.forward(x))",
                       "return torch.cos(self.dequant.forward(x))"})))),
        matches_(OrThrow(MatchSubgraphs(a_, b_))),
        result_(OrThrow(ResultOfMatches(a_, b_, matches_, {}))) {}

  const at::Tensor weight_ = at::randn({4, 6});
  const ModelGraph a_;
  const ModelGraph b_;
  const MatchResult matches_;
  const ComparisonResult result_;
};

TEST_F(ResultOfMatchesTest, LayersAreTheMatchesInTheirOrder) {
  EXPECT_EQ(result_.matching, "aligned");
  ASSERT_THAT(result_.layers, SizeIs(2));
  const LayerComparison& fc = result_.layers[1];
  EXPECT_EQ(fc.name, "fc");
  EXPECT_EQ(fc.float_side.op, "aten::linear");
  EXPECT_EQ(fc.family, "linear");
  EXPECT_THAT(fc.float_side.subgraph,
              ElementsAre("aten::linear", "aten::relu"));
  EXPECT_EQ(fc.quantized_side.op, "quantized::linear_relu");
  EXPECT_EQ(fc.quantized_side.fqn, "fc");
  EXPECT_THAT(fc.producers, ElementsAre(0));
  EXPECT_THAT(fc.weights, IsEmpty());
}

TEST_F(ResultOfMatchesTest, LayersHaveTheirNamesInTheFloatModel) {
  // The point where the input is quantized is no layer of it.
  EXPECT_EQ(result_.layers[0].float_layer, "");
  EXPECT_EQ(result_.layers[1].float_layer, "fc");
}

TEST_F(ResultOfMatchesTest, UnmatchedNodesOfBothModelsAreListed) {
  std::vector<std::string> unmatched;
  for (const UnmatchedNode& node : result_.unmatched) {
    unmatched.push_back(node.model + " " + node.op);
    EXPECT_NE(node.reason, "");
  }
  EXPECT_THAT(unmatched, ElementsAre("float aten::sin", "quantized aten::cos"));
}

}  // namespace
}  // namespace ns
