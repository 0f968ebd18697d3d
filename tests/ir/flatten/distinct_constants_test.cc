#include "ir/flatten/distinct_constants.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/node_hashing.h>
#include <torch/csrc/jit/passes/common_subexpression_elimination.h>
#include <torch/csrc/jit/passes/constant_pooling.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/text/text.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// A graph that adds up constants.
std::shared_ptr<Graph> SumOf(const std::vector<c10::IValue>& values) {
  auto graph = std::make_shared<Graph>();
  Value* sum = graph->addInput("x");
  for (const c10::IValue& value : values) {
    Value* constant = graph->insertConstant(value);
    sum = graph->insert(c10::aten::add, {sum, constant});
  }
  graph->registerOutput(sum);
  return graph;
}

// The number of hashes of the constants that hold tensors.
size_t CountHashes(Graph& graph) {
  std::set<size_t> hashes;
  for (Node* node : graph.nodes()) {
    if (node->kind() == c10::prim::Constant &&
        node->output()->type()->kind() == c10::TypeKind::TensorType) {
      hashes.insert(torch::jit::HashNode()(node));
    }
  }
  return hashes.size();
}

TEST(DistinctConstantsTest, TensorsThatDifferHaveHashesOfTheirOwn) {
  std::vector<c10::IValue> values;
  for (int i = 0; i < 100; ++i) {
    values.emplace_back(at::full({2, 3}, i));
  }
  const auto graph = SumOf(values);
  // All constants would be compared with each other.
  EXPECT_EQ(CountHashes(*graph), 1);
  const DistinctConstants distinct(*graph);
  EXPECT_EQ(CountHashes(*graph), values.size());
}

TEST(DistinctConstantsTest, TensorsThatAreEqualHaveTheSameHash) {
  const at::Tensor tensor = at::tensor({0.0F, 1.0F, 2.0F, 3.0F}).view({2, 2});
  const at::Tensor transposed = tensor.t().contiguous().t();
  const at::Tensor negative_zero = at::tensor({-0.0F, 1.0F, 2.0F, 3.0F});
  const auto graph =
      SumOf({tensor, tensor.clone(), transposed, negative_zero.view({2, 2})});
  const DistinctConstants distinct(*graph);
  EXPECT_EQ(CountHashes(*graph), 1);
}

TEST(DistinctConstantsTest, PassesMergeTheSameConstants) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor large = at::zeros({300, 300});
  const at::Tensor differs = large.clone();
  differs[0][1] = 1;
  const std::vector<c10::IValue> values = {
      at::ones({2}),
      at::zeros({2}),
      at::ones({2}),
      at::ones({1, 2}),
      at::ones({2}, at::kLong),
      at::tensor({nan}),
      at::tensor({nan}),
      at::tensor({0.0F}),
      at::tensor({-0.0F}),
      large,
      differs,
      large.clone(),
      at::quantize_per_tensor(at::ones({2}), 0.1, 0, at::kQInt8),
      at::quantize_per_tensor(at::ones({2}), 0.1, 0, at::kQInt8),
      at::quantize_per_tensor(at::ones({2}) * 2, 0.2, 0, at::kQInt8),
      at::complex(at::ones({2}), at::zeros({2}))};
  auto expected = SumOf(values);
  auto actual = SumOf(values);
  const auto run = [](std::shared_ptr<Graph>& graph) {
    torch::jit::EliminateCommonSubexpression(graph);
    torch::jit::ConstantPooling(graph);
  };
  run(expected);
  {
    const DistinctConstants distinct(*actual);
    run(actual);
  }
  EXPECT_EQ(CanonicalText(actual), CanonicalText(expected));
  EXPECT_EQ(actual->inputs().size(), 1);
  actual->lint();
}

}  // namespace
}  // namespace ns
