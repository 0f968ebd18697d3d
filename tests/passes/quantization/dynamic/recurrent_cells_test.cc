#include "passes/quantization/dynamic/recurrent_cells.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/analysis/packed_weights.h"
#include "passes/quantization/layers/constant_weights.h"
#include "tests/testing/engines.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using Entries = std::vector<const SharedConstants::Entry*>;

constexpr int64_t kWidth = 3;
constexpr int64_t kHidden = 2;

// An LSTM of one layer with parameters %a, %b, ...
std::string Text(const std::string& parameters) {
  return R"IR(
graph(%x : Tensor, %hx : Tensor[], %a : Tensor, %b : Tensor, %c : Tensor, %d : Tensor, %e : Tensor, %bias : bool, %n : int, %p : float, %train : bool, %both : bool, %first : bool):
  %params : Tensor[] = prim::ListConstruct()IR" +
         parameters + R"IR()
  %y : Tensor, %h : Tensor, %s : Tensor = aten::lstm(%x, %hx, %params, %bias, %n, %p, %train, %both, %first)
  return (%y))IR";
}

GraphConstants Constants(bool has_biases = true) {
  return {{"a", at::randn({4 * kHidden, kWidth})},
          {"b", at::randn({4 * kHidden, kHidden})},
          {"c", at::randn({4 * kHidden})},
          {"d", at::randn({4 * kHidden})},
          {"e", at::randn({1, kHidden})},
          {"bias", has_biases},
          {"n", 1},
          {"p", 0.5},
          {"train", false},
          {"both", false},
          {"first", false}};
}

class RecurrentCellsTest : public EngineTest {
 protected:
  absl::StatusOr<Entries> Pack(const std::string& parameters,
                               const GraphConstants& constants) {
    graph_ = GraphWith(Text(parameters), constants);
    return PackIn(*graph_);
  }

  absl::StatusOr<Entries> PackIn(Graph& graph) {
    shared_ = std::make_unique<SharedConstants>(graph);
    return PackRecurrentCells(
        {NodeOf(graph, "aten::lstm"), "lstm", spec_, false, true, *shared_});
  }

  const ObserverSpec spec_ = DynamicQConfig().weight;
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<SharedConstants> shared_;
};
NS_INSTANTIATE_ON_ENGINES(RecurrentCellsTest);

TEST_P(RecurrentCellsTest, HaveQuantizedWeights) {
  const GraphConstants constants = Constants();
  const Entries cells = OrThrow(Pack("%a, %b, %c, %d", constants));
  ASSERT_EQ(cells.size(), 1);
  const std::vector<at::Tensor> packed =
      OrThrow(PackedCellWeights(*torch::jit::toIValue(cells[0]->value)));
  ASSERT_EQ(packed.size(), 2);
  for (size_t i = 0; i < 2; ++i) {
    const at::Tensor expected = OrThrow(
        QuantizedBySpec(constants.at(i == 0 ? "a" : "b").toTensor(), spec_));
    EXPECT_TRUE(cells[0]->weights[i].equal(expected));
    EXPECT_TRUE(packed[i].int_repr().equal(expected.int_repr()));
  }
}

TEST_P(RecurrentCellsTest, NeedNoBiases) {
  EXPECT_EQ(OrThrow(Pack("%a, %b", Constants(/*has_biases=*/false))).size(), 1);
}

TEST_P(RecurrentCellsTest, AreSharedByCalls) {
  const auto graph = GraphWith(R"IR(
graph(%x : Tensor, %hx : Tensor[], %a : Tensor, %b : Tensor, %no : bool, %n : int, %p : float):
  %one : Tensor[] = prim::ListConstruct(%a, %b, %a, %b)
  %y : Tensor, %h : Tensor, %s : Tensor = aten::lstm(%x, %hx, %one, %no, %n, %p, %no, %no, %no)
  return (%y))IR",
                               {{"a", at::randn({8, 2})},
                                {"b", at::randn({8, 2})},
                                {"no", false},
                                {"n", 2},
                                {"p", 0.0}});
  const Entries cells = OrThrow(PackIn(*graph));
  ASSERT_EQ(cells.size(), 2);
  EXPECT_EQ(cells[0], cells[1]);
}

TEST_P(RecurrentCellsTest, RefuseProjections) {
  constexpr char kReason[] =
      "it projects its state (proj_size), which quantized layers cannot";
  EXPECT_EQ(MessageOf(Pack("%a, %b, %c, %d, %e", Constants())), kReason);
  EXPECT_EQ(MessageOf(Pack("%a, %b, %e", Constants(false))), kReason);
}

TEST_P(RecurrentCellsTest, RefuseParametersOfAnotherNumber) {
  EXPECT_EQ(MessageOf(Pack("%a, %b", Constants())),
            "its parameters do not fit its layers");
}

TEST_P(RecurrentCellsTest, RefuseTraining) {
  GraphConstants constants = Constants();
  constants["train"] = true;
  EXPECT_EQ(MessageOf(Pack("%a, %b, %c, %d", constants)), "it is in training");
}

TEST_P(RecurrentCellsTest, RefuseWhatIsNotConstant) {
  for (const auto& [name, reason] :
       std::vector<std::pair<std::string, std::string>>{
           {"a", "a parameter of it is not constant"},
           {"train", "its train is not constant"},
           {"bias", "its has_biases is not constant"},
           {"n", "its num_layers is not constant"},
           {"both", "its bidirectional is not constant"}}) {
    GraphConstants constants = Constants();
    constants.erase(name);
    EXPECT_EQ(MessageOf(Pack("%a, %b, %c, %d", constants)), reason);
  }
}

TEST_P(RecurrentCellsTest, RefuseListsThatAreWrittenTo) {
  std::string text = Text("%a, %b, %c, %d");
  const std::string call = "  %y : Tensor, %h";
  text.insert(text.find(call), "  %z : Tensor[] = aten::append(%params, %x)\n");
  const auto graph = GraphWith(text, Constants());
  EXPECT_EQ(MessageOf(PackIn(*graph)), "its parameters are not constant");
}

TEST_P(RecurrentCellsTest, RefuseWeightsThatCannotBePacked) {
  GraphConstants constants = Constants();
  constants["b"] = at::randn({4 * kHidden, kHidden}, at::kDouble);
  EXPECT_EQ(MessageOf(Pack("%a, %b, %c, %d", constants)),
            "its weight is of type Double; quantized layers compute in Float");
}

}  // namespace
}  // namespace ns
