#include "passes/extraction/weight_extraction.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/node_weights.h"
#include "passes/analysis/subgraph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Node;
using NamedTensors = std::vector<NamedTensor>;

WeightExtractionFn Gives(absl::StatusOr<NamedTensors> weights) {
  return [weights](const Node&, const ModelGraph&) { return weights; };
}

// A function that gives a number.
WeightExtractionFn GivesNumber(double number) {
  return Gives(NamedTensors{{"mine", at::scalar_tensor(number)}});
}

Subgraph Single(Node* node) { return {node, node, node, {node}}; }

class MatchedWeightsTest : public ::testing::Test {
 protected:
  absl::StatusOr<NamedTensors> Weights(
      const OpToWeightExtractionFn& functions) const {
    return MatchedWeights({conv_, relu_, conv_, {conv_, relu_}}, model_,
                          functions);
  }

  const at::Tensor weight_ = at::randn({3, 2, 1, 1});
  const ModelGraph model_ = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(weight_)}, {"relu", Relu()}},
                {"return self.relu.forward(self.conv.forward(x))"})));
  Node* const conv_ = NodeOf(model_.graph(), "aten::conv2d");
  Node* const relu_ = NodeOf(model_.graph(), "aten::relu");
};

TEST_F(MatchedWeightsTest, WithoutAFunctionTheOpTableTells) {
  const NamedTensors weights = OrThrow(
      Weights({{"aten::relu", GivesNumber(1)}, {"conv2d", GivesNumber(2)}}));
  ASSERT_THAT(weights, SizeIs(1));
  EXPECT_EQ(weights[0].name, "weight");
  EXPECT_TRUE(weights[0].value.equal(weight_));
  EXPECT_THAT(OrThrow(MatchedWeights(Single(relu_), model_, {})), IsEmpty());
}

TEST_F(MatchedWeightsTest, FunctionsAreAskedOfTheBaseOpAndGiveWhatTheyWill) {
  const Node* asked = nullptr;
  const NamedTensors weights = OrThrow(
      Weights({{"aten::conv2d", [&](const Node& node, const ModelGraph& model) {
                  asked = &node;
                  EXPECT_EQ(&model, &model_);
                  return NamedTensors{{"b", at::zeros({0})},
                                      {"a", at::ones({2}, at::kInt)}};
                }}}));
  EXPECT_EQ(asked, conv_);
  ASSERT_THAT(weights, SizeIs(2));
  EXPECT_EQ(weights[0].name, "b");
  EXPECT_EQ(weights[0].value.numel(), 0);
  EXPECT_EQ(weights[1].value.scalar_type(), at::kInt);
}

TEST_F(MatchedWeightsTest, AnEmptyListIsNoError) {
  EXPECT_THAT(OrThrow(Weights({{"aten::conv2d", Gives(NamedTensors())}})),
              IsEmpty());
}

TEST_F(MatchedWeightsTest, ErrorsNameTheOp) {
  const std::string what = "the weight extraction function of aten::conv2d";
  const auto weights = [&](WeightExtractionFn function) {
    return Weights({{"aten::conv2d", std::move(function)}});
  };
  const absl::Status status =
      weights(Gives(absl::NotFoundError("no table"))).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), what + ": no table");
  EXPECT_EQ(
      MessageOf(weights(
          [](const Node&, const ModelGraph&) -> absl::StatusOr<NamedTensors> {
            throw std::runtime_error("no disk");
          })),
      what + ": no disk");
  EXPECT_EQ(MessageOf(weights(nullptr)), what + ": bad_function_call");
  EXPECT_EQ(MessageOf(weights(Gives(
                NamedTensors{{"weight", weight_}, {"bias", at::Tensor()}}))),
            what +
                " gave an undefined tensor 'bias'; leave out what an op does "
                "not have");
}

TEST(MatchedWeightsOfLeavesTest, WholeNamesGoBeforeLastParts) {
  ModelGraphOptions options;
  options.is_leaf = LeafTypes({"Block"});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"block", MakeModule("my.package.Block",
                                      "def forward(self, x: Tensor) -> "
                                      "Tensor:\n    return x\n")}},
                {"return self.block.forward(x)"}),
      options));
  Node* const call = LeafCalls(model.graph()).at(0);
  const auto number = [&](const OpToWeightExtractionFn& functions) {
    const NamedTensors weights =
        OrThrow(MatchedWeights(Single(call), model, functions));
    return weights.empty() ? 0 : weights[0].value.item<double>();
  };
  EXPECT_EQ(number({{"Block", GivesNumber(1)}}), 1);
  EXPECT_EQ(
      number({{"Block", GivesNumber(1)}, {"my.package.Block", GivesNumber(2)}}),
      2);
  EXPECT_EQ(number({{"package.Block", GivesNumber(1)},
                    {"other.Block", GivesNumber(2)},
                    {"prim::CallMethod", GivesNumber(3)}}),
            0);
}

}  // namespace
}  // namespace ns
