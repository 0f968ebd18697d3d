#include "passes/quantization/dynamic/quantized_layers.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "tests/testing/engines.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;

constexpr char kNoForm[] = "it has no dynamically quantized form";

// What is constant in most graphs: a weight %w of 8 rows and 2 columns, a bias
// %b, and numbers.
GraphConstants Constants() {
  return {{"w", at::randn({8, 2})},
          {"b", at::randn({8})},
          {"none", c10::IValue()},
          {"yes", true},
          {"no", false},
          {"n", 1},
          {"p", 0.0},
          {"minus", -1}};
}

class QuantizedLayersTest : public EngineTest {
 protected:
  // Quantizes the op `op` of `family` in the graph `text`, and removes it.
  absl::StatusOr<QuantizedLayer> Insert(const std::string& text,
                                        const std::string& op,
                                        const std::string& family,
                                        bool with_relu = false) {
    graph_ = GraphWith(text, Constants());
    constants_ = std::make_unique<SharedConstants>(*graph_);
    Node* node = NodeOf(*graph_, op);
    const ObserverSpec weight = family == "embedding"
                                    ? FloatQParamsWeightOnlyQConfig().weight
                                    : DynamicQConfig().weight;
    const LayerSite site = {node, family, weight, with_relu, true, *constants_};
    absl::StatusOr<QuantizedLayer> layer = family == "embedding"
                                               ? InsertQuantizedEmbedding(site)
                                               : InsertDynamicLayer(site);
    if (layer.ok()) {
      for (size_t i = 0; i < layer->outputs.size(); ++i) {
        node->output(i)->replaceAllUsesWith(layer->outputs[i]);
      }
      node->destroy();
    }
    return layer;
  }

  std::shared_ptr<Graph> graph_;
  std::unique_ptr<SharedConstants> constants_;
};
NS_INSTANTIATE_ON_ENGINES(QuantizedLayersTest);

constexpr char kLinear[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR";

TEST_P(QuantizedLayersTest, Linear) {
  const QuantizedLayer layer =
      OrThrow(Insert(kLinear, "aten::linear", "linear"));
  EXPECT_EQ(layer.weights.size(), 1);
  ExpectShortIr(*graph_, R"(
%1 = quantized::linear_dynamic(%0, <Object>, True)
return (%1))");
}

TEST_P(QuantizedLayersTest, LinearWithRelu) {
  NS_ASSERT_OK(Insert(kLinear, "aten::linear", "linear", true).status());
  ExpectShortIr(*graph_, R"(
%1 = quantized::linear_relu_dynamic(%0, <Object>, True)
return (%1))");
}

TEST_P(QuantizedLayersTest, LinearOfAVectorIsRefused) {
  EXPECT_EQ(MessageOf(Insert(R"IR(
graph(%x : Float(2), %w : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR",
                             "aten::linear", "linear")),
            "its input is a vector; its kernel takes matrices");
}

TEST_P(QuantizedLayersTest, LinearWithoutConstantsIsRefused) {
  EXPECT_EQ(MessageOf(Insert(R"IR(
graph(%x : Tensor, %v : Tensor, %b : Tensor):
  %y : Tensor = aten::linear(%x, %v, %b)
  return (%y))IR",
                             "aten::linear", "linear")),
            "its weight is not constant");
  EXPECT_EQ(MessageOf(Insert(R"IR(
graph(%x : Tensor, %w : Tensor, %c : Tensor):
  %y : Tensor = aten::linear(%x, %w, %c)
  return (%y))IR",
                             "aten::linear", "linear")),
            "its bias is not constant");
}

TEST_P(QuantizedLayersTest, Lstm) {
  const QuantizedLayer layer = OrThrow(Insert(R"IR(
graph(%x : Tensor, %hx : Tensor[], %w : Tensor, %b : Tensor, %yes : bool, %no : bool, %n : int, %p : float):
  %params : Tensor[] = prim::ListConstruct(%w, %w, %b, %b)
  %y : Tensor, %h : Tensor, %c : Tensor = aten::lstm(%x, %hx, %params, %yes, %n, %p, %no, %no, %yes)
  return (%y, %h, %c))IR",
                                              "aten::lstm", "lstm"));
  EXPECT_EQ(layer.weights.size(), 2);
  NodeOf(*graph_, "prim::ListConstruct")->destroy();
  ExpectShortIr(*graph_, R"(
%2 = prim::ListConstruct(<Object>)
%3, %4, %5 = aten::quantized_lstm(%0, %1, %2, True, 1, 0, False, False, True, 12, True)
return (%3, %4, %5))");
}

TEST_P(QuantizedLayersTest, GruOfPackedSequencesWithoutBiases) {
  NS_ASSERT_OK(Insert(R"IR(
graph(%x : Tensor, %sizes : Tensor, %hx : Tensor, %w : Tensor, %yes : bool, %no : bool, %n : int, %p : float):
  %params : Tensor[] = prim::ListConstruct(%w, %w, %w, %w)
  %y : Tensor, %h : Tensor = aten::gru(%x, %sizes, %hx, %params, %no, %n, %p, %no, %yes)
  return (%y, %h))IR",
                      "aten::gru", "gru")
                   .status());
  NodeOf(*graph_, "prim::ListConstruct")->destroy();
  ExpectShortIr(*graph_, R"(
%3 = prim::ListConstruct(<Object>, <Object>)
%4, %5 = aten::quantized_gru(%0, %1, %2, %3, True, 1, 0, False, True)
return (%4, %5))");
}

TEST_P(QuantizedLayersTest, LstmCell) {
  NS_ASSERT_OK(Insert(R"IR(
graph(%x : Tensor, %hx : Tensor[], %w : Tensor, %b : Tensor):
  %h : Tensor, %c : Tensor = aten::lstm_cell(%x, %hx, %w, %w, %b, %b)
  return (%h, %c))IR",
                      "aten::lstm_cell", "lstm_cell")
                   .status());
  ExpectShortIr(*graph_, R"(
%2, %3 = quantized::quantized_lstm_cell_dynamic(%0, %1, <Object>, <Object>, <Tensor>, <Tensor>)
return (%2, %3))");
}

TEST_P(QuantizedLayersTest, OtherCells) {
  for (const std::string family :
       {"gru_cell", "rnn_tanh_cell", "rnn_relu_cell"}) {
    NS_ASSERT_OK(Insert(R"IR(
graph(%x : Tensor, %hx : Tensor, %w : Tensor, %b : Tensor):
  %h : Tensor = aten::)IR" + family +
                            R"IR((%x, %hx, %w, %w, %b, %b)
  return (%h))IR",
                        "aten::" + family, family)
                     .status());
    ExpectShortIr(*graph_, "%2 = quantized::quantized_" + family +
                               "_dynamic(%0, %1, <Object>, <Object>, <Tensor>, "
                               "<Tensor>)\nreturn (%2)");
  }
}

TEST_P(QuantizedLayersTest, CellWithoutBiases) {
  NS_ASSERT_OK(Insert(R"IR(
graph(%x : Tensor, %hx : Tensor, %w : Tensor, %none : NoneType):
  %h : Tensor = aten::gru_cell(%x, %hx, %w, %w, %none, %none)
  return (%h))IR",
                      "aten::gru_cell", "gru_cell")
                   .status());
  ExpectShortIr(*graph_, R"(
%2 = quantized::quantized_gru_cell_dynamic(%0, %1, <Object>, <Object>, <Tensor>, <Tensor>)
return (%2))");
}

TEST_P(QuantizedLayersTest, Embedding) {
  const QuantizedLayer layer = OrThrow(Insert(R"IR(
graph(%i : Tensor, %w : Tensor, %minus : int, %no : bool):
  %y : Tensor = aten::embedding(%w, %i, %minus, %no, %no)
  return (%y))IR",
                                              "aten::embedding", "embedding"));
  EXPECT_EQ(layer.weights[0].qscheme(), at::kPerChannelAffineFloatQParams);
  ExpectShortIr(*graph_, R"(
%1 = aten::contiguous(%0, 0)
%2 = quantized::embedding_byte(<Object>, %1, False)
return (%2))");
}

TEST_P(QuantizedLayersTest, OthersHaveNoDynamicForm) {
  EXPECT_EQ(MessageOf(Insert(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR",
                             "aten::relu", "relu")),
            kNoForm);
  EXPECT_EQ(MessageOf(Insert(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::erfinv(%x)
  return (%y))IR",
                             "aten::erfinv", "aten::erfinv")),
            kNoForm);
}

}  // namespace
}  // namespace ns
