#include "passes/extraction/extract_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/node_view.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  const Results results_ =
      OrThrow(ExtractMatchedWeights("float", a_, "int8", b_, matches_));
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

// A function that gives what `weight` makes of the model that it is asked of.
template <typename Weight>
WeightExtractionFn Gives(const Weight& weight) {
  return [weight](const torch::jit::Node&, const ModelGraph& model)
             -> absl::StatusOr<std::vector<NamedTensor>> {
    return std::vector<NamedTensor>{{"mine", weight(model)}};
  };
}

TEST_F(ExtractWeightsTest, FunctionOfTheUserReplacesTheBuiltInOne) {
  ExtractWeightsOptions options;
  std::vector<std::string> asked_for;
  options.op_to_weight_extraction_fn["quantized::linear"] =
      [&](const torch::jit::Node& node,
          const ModelGraph& model) -> absl::StatusOr<std::vector<NamedTensor>> {
    asked_for.push_back(std::string(OpName(node)));
    EXPECT_EQ(&model, &b_);
    return std::vector<NamedTensor>{{"mine", fc_ + 1}};
  };
  const Results results = OrThrow(
      ExtractMatchedWeights("float", a_, "int8", b_, matches_, options));
  EXPECT_THAT(asked_for, ElementsAre("quantized::linear"));
  const ResultsByModel& fc = results.Find("fc")->at(kWeightResult);
  EXPECT_EQ(fc.at("int8").at(0).parameter, "mine");
  EXPECT_TRUE(fc.at("int8").at(0).values.at(0).equal(fc_ + 1));
  EXPECT_TRUE(fc.at("float").at(0).values.at(0).equal(fc_));
  EXPECT_TRUE(results.Find("conv")
                  ->at(kWeightResult)
                  .at("float")
                  .at(0)
                  .values.at(0)
                  .equal(conv_));
}

TEST_F(ExtractWeightsTest, FunctionGivesWeightsToAnOpWithoutAny) {
  ExtractWeightsOptions options;
  options.op_to_weight_extraction_fn["aten::softmax"] =
      Gives([&](const ModelGraph& model) {
        return at::full({1}, &model == &a_ ? 1.0 : 2.0);
      });
  const Results results = OrThrow(
      ExtractMatchedWeights("float", a_, "int8", b_, matches_, options));
  const ResultsByModel& softmax = results.Find("softmax")->at(kWeightResult);
  EXPECT_EQ(softmax.at("float").at(0).values.at(0).item<double>(), 1);
  EXPECT_EQ(softmax.at("int8").at(0).values.at(0).item<double>(), 2);
}

TEST_F(ExtractWeightsTest, FunctionOfALeafFindsItInTheModel) {
  const auto model = [](double scale) {
    const auto block = MakeModule("my.package.Block",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "    return x * self.scale\n",
                                  {{"scale", at::full({1}, scale)}});
    ModelGraphOptions options;
    options.is_leaf = LeafTypes({"Block"});
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"block", block}}, {"return self.block.forward(x)"}),
        options));
  };
  const ModelGraph a = model(3);
  const ModelGraph b = model(4);
  ExtractWeightsOptions options;
  options.op_to_weight_extraction_fn["Block"] =
      Gives([](const ModelGraph& model) {
        return model.module().attr("block").toModule().attr("scale").toTensor();
      });
  const Results results = OrThrow(ExtractMatchedWeights(
      "float", a, "int8", b, OrThrow(MatchSubgraphs(a, b)), options));
  const ResultsByModel& block = results.Find("block")->at(kWeightResult);
  EXPECT_EQ(block.at("float").at(0).values.at(0).item<double>(), 3);
  EXPECT_EQ(block.at("int8").at(0).values.at(0).item<double>(), 4);
}

TEST_F(ExtractWeightsTest, OpsWithoutWeightsByAFunctionAreLeftOut) {
  ExtractWeightsOptions options;
  options.op_to_weight_extraction_fn["aten::conv2d"] =
      [](const torch::jit::Node&,
         const ModelGraph&) -> absl::StatusOr<std::vector<NamedTensor>> {
    return std::vector<NamedTensor>();
  };
  const Results results = OrThrow(
      ExtractMatchedWeights("float", a_, "int8", b_, matches_, options));
  EXPECT_EQ(results.Find("conv"), nullptr);
  EXPECT_NE(results.Find("fc"), nullptr);
}

// What a function gives is what is compared.
TEST_F(ExtractWeightsTest, BatchNormIsNotFoldedIntoWeightsOfAFunction) {
  const ModelGraph a = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(conv_)}, {"bn", BatchNorm2d(2)}},
                {"return self.bn.forward(self.conv.forward(x))"})));
  const ModelGraph b = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"quant", Quantize()}, {"conv", QuantizedConv2d(conv_, false)}},
      {"return self.conv.forward(self.quant.forward(x))"})));
  const MatchResult matches = OrThrow(MatchSubgraphs(a, b));
  const auto of_float = [&](const ExtractWeightsOptions& options) {
    return OrThrow(
               ExtractMatchedWeights("float", a, "int8", b, matches, options))
        .Find("conv")
        ->at(kWeightResult)
        .at("float")
        .at(0)
        .values.at(0);
  };
  ExtractWeightsOptions options;
  EXPECT_FALSE(of_float(options).equal(conv_));
  options.op_to_weight_extraction_fn["aten::conv2d"] =
      Gives([&](const ModelGraph&) { return conv_; });
  EXPECT_TRUE(of_float(options).equal(conv_));
}

TEST_F(ExtractWeightsTest, ErrorsOfFunctionsNameLayerAndOp) {
  const auto message = [&](WeightExtractionFn function) {
    ExtractWeightsOptions options;
    options.op_to_weight_extraction_fn["aten::linear"] = std::move(function);
    return MessageOf(
        ExtractMatchedWeights("float", a_, "int8", b_, matches_, options));
  };
  const std::string prefix =
      "fc: the weight extraction function of aten::linear";
  EXPECT_EQ(message([](const torch::jit::Node&, const ModelGraph&)
                        -> absl::StatusOr<std::vector<NamedTensor>> {
              return absl::NotFoundError("no table");
            }),
            prefix + ": no table");
  EXPECT_THAT(
      message(Gives([&](const ModelGraph&) { return fc_.reshape({7}); })),
      HasSubstr(prefix));
  EXPECT_EQ(message(Gives([](const ModelGraph&) { return at::Tensor(); })),
            prefix +
                " gave an undefined tensor 'mine'; leave out what an op "
                "does not have");
}

}  // namespace
}  // namespace ns
