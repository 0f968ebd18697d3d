#include "passes/analysis/node_weights.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Ints = std::vector<int64_t>;

// A graph with one node: `op` on an input tensor and `constants`.
class OneNode {
 public:
  OneNode(const std::string& op, const std::vector<c10::IValue>& constants,
          size_t data_inputs = 1) {
    std::vector<torch::jit::Value*> inputs;
    for (size_t i = 0; i < data_inputs; ++i) {
      inputs.push_back(graph_->addInput());
    }
    if (op == "aten::lstm") {
      inputs[1]->setType(c10::ListType::ofTensors());  // the hidden state
    }
    for (const c10::IValue& constant : constants) {
      inputs.push_back(graph_->insertConstant(constant));
    }
    node_ = graph_->insertNode(
        graph_->create(c10::Symbol::fromQualString(op), inputs));
  }

  std::vector<NamedTensor> Weights() const {
    return OrThrow(NodeWeights(*node_));
  }
  at::Tensor Weight() const { return Weights().at(0).value; }
  at::Tensor Bias() const { return OrThrow(RecurrentBias(*node_)); }

 private:
  std::shared_ptr<torch::jit::Graph> graph_ =
      std::make_shared<torch::jit::Graph>();
  torch::jit::Node* node_;
};

std::vector<std::string> Names(const std::vector<NamedTensor>& weights) {
  std::vector<std::string> names;
  for (const NamedTensor& weight : weights) {
    names.push_back(weight.name);
  }
  return names;
}

void ExpectEqual(const at::Tensor& actual, const at::Tensor& expected) {
  EXPECT_EQ(actual.sizes(), expected.sizes());
  EXPECT_EQ(actual.is_quantized(), expected.is_quantized());
  const auto plain = [](const at::Tensor& x) {
    return x.is_quantized() ? x.dequantize() : x;
  };
  EXPECT_TRUE(plain(actual).equal(plain(expected)));
}

class NodeWeightsTest : public testing::Test {
 protected:
  static c10::IValue PackConv(const at::Tensor& weight, int dimensions) {
    const Ints ones(dimensions, 1);
    const Ints zeros(dimensions, 0);
    return CallOp("quantized::conv" + std::to_string(dimensions) + "d_prepack",
                  {weight, c10::IValue(), ones, zeros, ones, int64_t{1}});
  }
};

TEST_F(NodeWeightsTest, ReadsFloatWeight) {
  const at::Tensor weight = at::randn({3, 2, 3, 3});
  const OneNode conv("aten::conv2d", {weight});
  EXPECT_THAT(Names(conv.Weights()), ElementsAre("weight"));
  ExpectEqual(conv.Weight(), weight);
}

TEST_F(NodeWeightsTest, ReadsEmbedding) {
  const at::Tensor weight = at::randn({5, 4});
  const OneNode embedding("aten::embedding", {weight}, 0);
  ExpectEqual(embedding.Weight(), weight);
}

TEST_F(NodeWeightsTest, UnpacksLinear) {
  const at::Tensor weight = QuantizeWeight(at::randn({3, 4}));
  const OneNode linear("quantized::linear", {CallOp("quantized::linear_prepack",
                                                    {weight, c10::IValue()})});
  EXPECT_THAT(Names(linear.Weights()), ElementsAre("weight"));
  ExpectEqual(linear.Weight(), weight);
}

TEST_F(NodeWeightsTest, UnpacksConv1dWithItsOwnShape) {
  const at::Tensor weight = QuantizeWeight(at::randn({3, 2, 5}));
  ExpectEqual(OneNode("quantized::conv1d", {PackConv(weight, 1)}).Weight(),
              weight);
}

TEST_F(NodeWeightsTest, UnpacksConv1dOfKernelOne) {
  const at::Tensor weight = QuantizeWeight(at::randn({3, 2, 1}));
  ExpectEqual(OneNode("quantized::conv1d", {PackConv(weight, 1)}).Weight(),
              weight);
}

TEST_F(NodeWeightsTest, UnpacksConv2d) {
  const at::Tensor weight = QuantizeWeight(at::randn({3, 2, 1, 5}));
  ExpectEqual(OneNode("quantized::conv2d_relu", {PackConv(weight, 2)}).Weight(),
              weight);
}

TEST_F(NodeWeightsTest, UnpacksConv3d) {
  const at::Tensor weight = QuantizeWeight(at::randn({3, 2, 2, 2, 2}));
  ExpectEqual(OneNode("quantized::conv3d", {PackConv(weight, 3)}).Weight(),
              weight);
}

TEST_F(NodeWeightsTest, UnpacksPerChannelWeight) {
  const at::Tensor weight = at::quantize_per_channel(
      at::randn({3, 2, 3, 3}), at::tensor({0.01, 0.02, 0.03}),
      at::zeros({3}, at::kLong), 0, at::kQInt8);
  ExpectEqual(OneNode("quantized::conv2d", {PackConv(weight, 2)}).Weight(),
              weight);
}

TEST_F(NodeWeightsTest, UnpacksTransposedConvWithGroups) {
  const at::Tensor weight = QuantizeWeight(at::randn({4, 3, 3, 3}));
  const c10::IValue packed =
      CallOp("quantized::conv_transpose2d_prepack",
             {weight, c10::IValue(), Ints{1, 1}, Ints{0, 0}, Ints{0, 0},
              Ints{1, 1}, int64_t{2}});
  ExpectEqual(OneNode("quantized::conv_transpose2d", {packed}).Weight(),
              weight);
}

TEST_F(NodeWeightsTest, UnpacksEmbedding) {
  const at::Tensor weight =
      at::quantize_per_channel(at::rand({3, 4}), at::full({3}, 1 / 255.0),
                               at::zeros({3}), 0, at::kQUInt8);
  const OneNode embedding(
      "quantized::embedding_byte",
      {CallOp("quantized::embedding_bag_prepack", {weight})}, 0);
  ExpectEqual(embedding.Weight(), weight);
}

TEST_F(NodeWeightsTest, ReadsBothWeightsOfBidirectionalLstm) {
  std::vector<at::Tensor> parameters;
  for (int cell = 0; cell < 4; ++cell) {
    parameters.push_back(at::randn({8, cell < 2 ? 3 : 4}));
    parameters.push_back(at::randn({8, 2}));
    parameters.push_back(at::randn({8}));
    parameters.push_back(at::randn({8}));
  }
  const OneNode lstm(
      "aten::lstm",
      {at::TensorList(parameters), true, int64_t{2}, 0.0, false, true, true},
      2);
  const auto weights = lstm.Weights();
  EXPECT_THAT(
      Names(weights),
      ElementsAre("weight_ih_l0", "weight_hh_l0", "weight_ih_l0_reverse",
                  "weight_hh_l0_reverse", "weight_ih_l1", "weight_hh_l1",
                  "weight_ih_l1_reverse", "weight_hh_l1_reverse"));
  ASSERT_EQ(weights.size(), 8);
  for (int cell = 0; cell < 4; ++cell) {
    ExpectEqual(weights[2 * cell].value, parameters[4 * cell]);
    ExpectEqual(weights[2 * cell + 1].value, parameters[4 * cell + 1]);
    ExpectEqual(lstm.Bias().narrow(0, 16 * cell, 8), parameters[4 * cell + 2]);
    ExpectEqual(lstm.Bias().narrow(0, 16 * cell + 8, 8),
                parameters[4 * cell + 3]);
  }
  EXPECT_EQ(lstm.Bias().numel(), 4 * 16);
}

TEST_F(NodeWeightsTest, ReadsPairOfCell) {
  const at::Tensor ih = at::randn({6, 3});
  const at::Tensor hh = at::randn({6, 2});
  const OneNode cell("aten::gru_cell", {ih, hh}, 2);
  EXPECT_THAT(Names(cell.Weights()), ElementsAre("weight_ih", "weight_hh"));
  ExpectEqual(cell.Weights()[1].value, hh);
  EXPECT_FALSE(cell.Bias().defined());
  const at::Tensor b_ih = at::randn({6});
  const at::Tensor b_hh = at::randn({6});
  ExpectEqual(OneNode("aten::gru_cell", {ih, hh, b_ih, b_hh}, 2).Bias(),
              at::cat({b_ih, b_hh}));
}

TEST_F(NodeWeightsTest, UnpacksPairOfDynamicCell) {
  const at::Tensor ih = QuantizeWeight(at::randn({6, 3}));
  const at::Tensor hh = QuantizeWeight(at::randn({6, 2}));
  const OneNode cell("quantized::quantized_gru_cell_dynamic",
                     {CallOp("quantized::linear_prepack", {ih, c10::IValue()}),
                      CallOp("quantized::linear_prepack", {hh, c10::IValue()})},
                     2);
  EXPECT_THAT(Names(cell.Weights()), ElementsAre("weight_ih", "weight_hh"));
  ExpectEqual(cell.Weights()[0].value, ih);
  ExpectEqual(cell.Weights()[1].value, hh);
  EXPECT_FALSE(cell.Bias().defined());
}

TEST_F(NodeWeightsTest, UnpacksBiasesOfAQuantizedGru) {
  const at::Tensor b_ih = at::randn({6});
  const at::Tensor b_hh = at::randn({6});
  const c10::IValue cell =
      CallOp("quantized::make_quantized_cell_params_dynamic",
             {CallOp("quantized::linear_prepack",
                     {QuantizeWeight(at::randn({6, 3})), b_ih}),
              CallOp("quantized::linear_prepack",
                     {QuantizeWeight(at::randn({6, 2})), b_hh}),
              b_ih, b_hh, false});
  torch::jit::Graph graph;
  torch::jit::Value* const packed = graph.insertConstant(cell);
  std::vector<torch::jit::Value*> inputs = {
      graph.addInput(), graph.addInput(),
      graph.insertNode(graph.createList(packed->type(), {packed}))->output()};
  for (const c10::IValue& option :
       std::vector<c10::IValue>{true, int64_t{1}, 0.0, false, false, true}) {
    inputs.push_back(graph.insertConstant(option));
  }
  torch::jit::Node* const gru = graph.insertNode(
      graph.create(c10::Symbol::fromQualString("aten::quantized_gru"), inputs));
  ExpectEqual(OrThrow(RecurrentBias(*gru)), at::cat({b_ih, b_hh}));
}

TEST_F(NodeWeightsTest, TracesWeightThroughFakeQuantizeAndCast) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %w : Tensor, %scale : float, %n : int, %no : bool, %memory : NoneType):
  %f : Tensor = aten::fake_quantize_per_tensor_affine(%w, %scale, %n, %n, %n)
  %t : Tensor = aten::to(%f, %n, %no, %no, %memory)
  %y : Tensor = aten::linear(%x, %t, %memory)
  return (%y))IR");
  const at::Tensor weight = at::randn({3, 4});
  torch::jit::Node* fake =
      NodeOf(*graph, "aten::fake_quantize_per_tensor_affine");
  torch::jit::WithInsertPoint at(fake);
  fake->replaceInput(0, graph->insertConstant(weight));
  const auto weights = OrThrow(NodeWeights(*NodeOf(*graph, "aten::linear")));
  ASSERT_EQ(weights.size(), 1);
  ExpectEqual(weights[0].value, weight);
}

TEST_F(NodeWeightsTest, IsEmptyForWeightThatIsNotConstant) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %w : Tensor, %none : NoneType):
  %y : Tensor = aten::linear(%x, %w, %none)
  return (%y))IR");
  EXPECT_THAT(OrThrow(NodeWeights(*NodeOf(*graph, "aten::linear"))), IsEmpty());
}

TEST_F(NodeWeightsTest, IsEmptyForOpsWithoutWeights) {
  EXPECT_THAT(OneNode("aten::relu", {}).Weights(), IsEmpty());
  EXPECT_THAT(OneNode("mine::op", {}).Weights(), IsEmpty());
}

TEST_F(NodeWeightsTest, IsEmptyForLayerWithoutAffinePart) {
  EXPECT_THAT(OneNode("aten::batch_norm", {c10::IValue()}).Weights(),
              IsEmpty());
}

}  // namespace
}  // namespace ns
