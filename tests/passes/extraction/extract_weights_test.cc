#include "passes/extraction/extract_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

class ExtractWeightsTest : public testing::Test {
 protected:
  const at::Tensor conv_ = at::arange(36, at::kFloat).reshape({2, 2, 3, 3});
  const at::Tensor fc_ = at::arange(8, at::kFloat).reshape({4, 2}) - 3;
  const ModelGraph a_ = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(conv_)}, {"fc", Linear(fc_)}},
                {"return torch.softmax(self.fc.forward("
                 "self.conv.forward(x)), 1)"})));
  const ModelGraph b_ = OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()},
                 {"conv", QuantizedConv2d(conv_, false)},
                 {"fc", QuantizedLinear(fc_, false)}},
                {"y = self.fc.forward(self.conv.forward("
                 "self.quant.forward(x)))",
                 "return torch.softmax(torch.dequantize(y), 1)"})));
  const MatchResult matches_ = OrThrow(MatchSubgraphs(a_, b_));
  const Results results_ = OrThrow(ExtractWeights("float", "int8", matches_));
};

TEST_F(ExtractWeightsTest, ListsLayersWithWeightsInOrder) {
  std::vector<std::string> names;
  for (const auto& [name, by_type] : results_.layers()) {
    names.push_back(name);
  }
  EXPECT_THAT(names, ElementsAre("conv", "fc"));
}

TEST_F(ExtractWeightsTest, HoldsBothWeights) {
  const ResultsByModel& conv = results_.Find("conv")->at(kWeightResult);
  EXPECT_TRUE(conv.at("float").at(0).values.at(0).equal(conv_));
  EXPECT_TRUE(conv.at("int8").at(0).values.at(0).dequantize().equal(
      QuantizeWeight(conv_).dequantize()));
}

TEST_F(ExtractWeightsTest, SaysWhereWeightsComeFrom) {
  const SingleResult& fc =
      results_.Find("fc")->at(kWeightResult).at("int8").at(0);
  EXPECT_EQ(fc.parameter, "weight");
  EXPECT_EQ(fc.info.layer, "fc");
  EXPECT_EQ(fc.info.type, kWeightResult);
  EXPECT_EQ(fc.info.model_name, "int8");
  EXPECT_EQ(fc.info.ref_node_target_type, "quantized::linear");
  EXPECT_EQ(fc.info.fqn, "fc");
}

}  // namespace
}  // namespace ns
