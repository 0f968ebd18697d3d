#include "passes/rewrite/bag_weights.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/insert_op.h"
#include "ir/model/model_graph.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr int64_t kRows = 6;
constexpr char kMaximum[] =
    "it takes the maximum of its rows; its kernel adds them up";

// A bag of indices %i and offsets %o, with numbers %w.
std::shared_ptr<Graph> BagGraph(int64_t mode, const c10::IValue& padding,
                                bool weighted = false) {
  return GraphWith(
      absl::StrCat(R"IR(
graph(%i : Tensor, %o : Tensor, %w : Tensor, %table : Tensor, %no : bool, %mode : int, %none : NoneType, %padding : )IR",
                   padding.isNone() ? "NoneType" : "int", R"IR():
  %l : Tensor, %m : Tensor, %n : Tensor, %p : Tensor = aten::embedding_bag(%table, %i, %o, %no, %mode, %no, )IR",
                   weighted ? "%w" : "%none", R"IR(, %no, %padding)
  return (%l))IR"),
      {{"table", at::arange(kRows * 2, at::kFloat).reshape({kRows, 2})},
       {"no", false},
       {"mode", mode},
       {"none", c10::IValue()},
       {"padding", padding}});
}

// Makes the graph return the sum of the rows times the bag's numbers.
void ReturnWeightedSum(Graph& graph) {
  Node* bag = NodeOf(graph, "aten::embedding_bag");
  const torch::jit::WithInsertPoint in_front(bag);
  Value* weights = OrThrow(InsertBagWeights(*bag, kRows));
  Value* sum =
      OrThrow(InsertOp(graph, "aten::embedding_bag",
                       {bag->input(0), bag->input(1), bag->input(2), false, 0,
                        false, weights, bag->input(7), c10::IValue()}));
  graph.eraseOutput(0);
  graph.registerOutput(
      graph.insertNode(graph.createTupleUnpack(sum))->output(0));
}

// Fails the test unless the weighted sum is what LibTorch's kernel computes.
void ExpectSameBags(int64_t mode, const c10::IValue& padding,
                    bool weighted = false) {
  SCOPED_TRACE(absl::StrCat("mode ", mode));
  const auto graph = BagGraph(mode, padding, weighted);
  ModelGraph model = OrThrow(ModelGraph::FromGraph(graph));
  ReturnWeightedSum(*graph);
  ModelGraph weighted_sum = OrThrow(ModelGraph::FromGraph(graph));
  // Bags with padding rows, of nothing else, and without any index.
  const std::vector<std::pair<at::Tensor, at::Tensor>> batches = {
      {at::tensor({0, 5, 2, 2, 5, 5, 1}), at::tensor({0, 2, 4, 6, 7})},
      {at::tensor({3}, at::kInt), at::tensor({0}, at::kInt)},
      {at::tensor({5, 5}), at::tensor({0, 1})}};
  for (const auto& [indices, offsets] : batches) {
    const at::Tensor numbers = at::rand({indices.size(0)});
    const at::Tensor expected =
        OrThrow(model.Run({indices, offsets, numbers})).toTensor();
    EXPECT_TRUE(OrThrow(weighted_sum.Run({indices, offsets, numbers}))
                    .toTensor()
                    .allclose(expected));
  }
}

TEST(BagWeightsTest, AreThoseOfTheBagInASum) {
  const auto graph = BagGraph(0, c10::IValue(), /*weighted=*/true);
  Node* bag = NodeOf(*graph, "aten::embedding_bag");
  EXPECT_EQ(OrThrow(InsertBagWeights(*bag, kRows)), bag->input(6));
}

TEST(BagWeightsTest, ShareAMean) {
  ExpectSameBags(1, c10::IValue());
  const auto graph = BagGraph(1, c10::IValue());
  Node* bag = NodeOf(*graph, "aten::embedding_bag");
  const torch::jit::WithInsertPoint in_front(bag);
  graph->registerOutput(OrThrow(InsertBagWeights(*bag, kRows)));
  bag->output(0)->replaceAllUsesWith(graph->outputs()[1]);
  bag->destroy();
  ExpectShortIr(*graph, R"(
%3 = aten::numel(%0)
%4 = aten::constant_pad_nd(%1, [0, 1], %3)
%5 = aten::diff(%4, 1, -1, None, None)
%6 = aten::reciprocal(%5)
%7 = aten::repeat_interleave(%6, %5, None, None)
return (%7, %7))");
}

TEST(BagWeightsTest, LeaveOutThePaddingRow) {
  ExpectSameBags(0, 5);
  ExpectSameBags(0, 5, /*weighted=*/true);
  ExpectSameBags(1, 5);
}

TEST(BagWeightsTest, CountPaddingFromBehindWhenItIsNegative) {
  ExpectSameBags(0, -1);
  ExpectSameBags(1, -4);
}

TEST(BagWeightsTest, RefuseWhatAKernelCannotDo) {
  const auto maximum = BagGraph(2, c10::IValue());
  const Node& bag = *NodeOf(*maximum, "aten::embedding_bag");
  EXPECT_EQ(MessageOf(InsertBagWeights(bag, kRows)), kMaximum);
  EXPECT_EQ(std::string(CheckBagWeights(bag).message()), kMaximum);
  const auto graph = GraphOf(R"IR(
graph(%t : Tensor, %i : Tensor, %o : Tensor, %no : bool, %mode : int, %none : NoneType, %padding : int):
  %sum : int = prim::Constant[value=0]()
  %l : Tensor, %m : Tensor, %n : Tensor, %p : Tensor = aten::embedding_bag(%t, %i, %o, %no, %mode, %no, %none, %no, %padding)
  %a : Tensor, %b : Tensor, %c : Tensor, %d : Tensor = aten::embedding_bag(%t, %i, %o, %no, %sum, %no, %none, %no, %padding)
  return (%l, %a))IR");
  EXPECT_EQ(MessageOf(InsertBagWeights(
                *NodeOf(*graph, "aten::embedding_bag", 0), kRows)),
            "its mode is not constant");
  EXPECT_EQ(MessageOf(InsertBagWeights(
                *NodeOf(*graph, "aten::embedding_bag", 1), kRows)),
            "its padding_idx is not constant");
}

}  // namespace
}  // namespace ns
