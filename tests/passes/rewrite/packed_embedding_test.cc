#include "passes/rewrite/packed_embedding.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "passes/rewrite/prepack.h"
#include "tests/testing/engines.h"
#include "tests/testing/graph_with.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

at::Tensor Table(c10::ScalarType type) {
  at::manual_seed(5);
  return at::quantize_per_channel(at::rand({6, 4}), at::full(6, 0.0078125),
                                  at::full(6, 2.5), 0, type);
}

// Replaces the only call of `op` by the packed one.
void Replace(Graph& graph, const std::string& op, const at::Tensor& table) {
  Node* node = NodeOf(graph, op);
  const torch::jit::WithInsertPoint in_front(node);
  Value* packed = graph.insertConstant(OrThrow(PrepackEmbedding(table)));
  Value* output = OrThrow(InsertPackedEmbedding(*node, table, *packed));
  node->output(0)->replaceAllUsesWith(output);
  node->destroy();
}

constexpr char kEmbedding[] = R"IR(
graph(%i : Tensor, %table : Tensor, %minus : int, %no : bool):
  %y : Tensor = aten::embedding(%table, %i, %minus, %no, %no)
  return (%y))IR";

constexpr char kBag[] = R"IR(
graph(%i : Tensor, %o : Tensor, %table : Tensor, %mode : int, %no : bool, %yes : bool, %none : NoneType):
  %y : Tensor, %m : Tensor, %n : Tensor, %p : Tensor = aten::embedding_bag(%table, %i, %o, %no, %mode, %no, %none, %yes)
  return (%y))IR";

GraphConstants Constants(const at::Tensor& table, int64_t mode = 0) {
  return {{"table", table.dequantize()},
          {"minus", -1},
          {"mode", mode},
          {"no", false},
          {"yes", true},
          {"none", c10::IValue()}};
}

class PackedEmbeddingTest : public EngineTest {};
NS_INSTANTIATE_ON_ENGINES(PackedEmbeddingTest);

TEST_P(PackedEmbeddingTest, LooksRowsUp) {
  for (const auto type : {at::kQUInt8, at::kQUInt4x2}) {
    const at::Tensor table = Table(type);
    const auto graph = GraphWith(kEmbedding, Constants(table));
    ModelGraph model = OrThrow(ModelGraph::FromGraph(graph));
    Replace(*graph, "aten::embedding", table);
    ExpectShortIr(
        *graph,
        absl::StrCat("%1 = aten::contiguous(%0, 0)\n%2 = quantized::embedding_",
                     type == at::kQUInt8 ? "byte" : "4bit",
                     "(<Object>, %1, False)\nreturn (%2)"));
    ModelGraph packed = OrThrow(ModelGraph::FromGraph(graph));
    // The last one is not contiguous.
    for (const at::Tensor& indices :
         {at::tensor({1, 5, 1}, at::kLong), at::arange(4).reshape({2, 2}),
          at::arange(4).reshape({2, 2}).t(), at::tensor({3}, at::kInt)}) {
      EXPECT_TRUE(
          OrThrow(packed.Run({indices}))
              .toTensor()
              .allclose(OrThrow(model.Run({indices})).toTensor(), 1e-2, 1e-2));
    }
  }
}

TEST_P(PackedEmbeddingTest, AddsBagsUpWhateverTheirMode) {
  for (const int64_t mode : {0, 1}) {
    const at::Tensor table = Table(at::kQUInt8);
    const auto graph = GraphWith(kBag, Constants(table, mode));
    ModelGraph model = OrThrow(ModelGraph::FromGraph(graph));
    Replace(*graph, "aten::embedding_bag", table);
    EXPECT_EQ(NodesOf(*graph, "quantized::embedding_bag_byte").size(), 1);
    ModelGraph packed = OrThrow(ModelGraph::FromGraph(graph));
    // Both are every second one.
    const at::Tensor indices =
        at::tensor({0, 9, 5, 9, 2, 9, 2, 9}, at::kLong).slice(0, 0, 8, 2);
    const at::Tensor offsets =
        at::tensor({0, 0, 3, 0, 3, 0, 4, 0}, at::kLong).slice(0, 0, 8, 2);
    EXPECT_TRUE(
        OrThrow(packed.Run({indices, offsets}))
            .toTensor()
            .allclose(OrThrow(model.Run({indices, offsets})).toTensor()));
  }
}

TEST_P(PackedEmbeddingTest, RefusesBagsThatTakeTheMaximum) {
  const auto graph = GraphWith(kBag, Constants(Table(at::kQUInt8), 2));
  EXPECT_EQ(
      std::string(CheckPackedEmbedding(*NodeOf(*graph, "aten::embedding_bag"))
                      .message()),
      "it takes the maximum of its rows; its kernel adds them up");
}

TEST_P(PackedEmbeddingTest, RefusesBagsWhoseOtherOutputsAreUsed) {
  const auto graph = GraphWith(kBag, Constants(Table(at::kQUInt8)));
  Node* bag = NodeOf(*graph, "aten::embedding_bag");
  graph->registerOutput(bag->output(2));
  EXPECT_EQ(std::string(CheckPackedEmbedding(*bag).message()),
            "more than its first output is used");
}

TEST_P(PackedEmbeddingTest, RefusesIndicesOfAnotherRank) {
  const auto graph = GraphOf(R"IR(
graph(%table : Tensor, %i : Long(2, 3, 4), %minus : int, %no : bool):
  %y : Tensor = aten::embedding(%table, %i, %minus, %no, %no)
  return (%y))IR");
  EXPECT_EQ(
      std::string(
          CheckPackedEmbedding(*NodeOf(*graph, "aten::embedding")).message()),
      "its kernel takes indices with one or two dimensions");
}

}  // namespace
}  // namespace ns
