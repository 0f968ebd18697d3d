#include "passes/rewrite/replace_tensors.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

class ReplaceTensorsTest : public testing::Test {
 protected:
  static bool Replace(ModelGraph& model,
                      const std::vector<TensorReplacement>& replacements) {
    Graph& graph = model.graph();
    return ReplaceTensors(model, *graph.nodes().begin(), graph.return_node(),
                          replacements);
  }

  // Returns x c c, with `constant` as each c.
  static ModelGraph Product(const at::Tensor& constant) {
    ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  return (%x))IR");
    Graph& graph = model.graph();
    Value* product = graph.inputs()[1];
    for (int i = 0; i < 2; ++i) {
      product = graph.insert(c10::aten::mul,
                             {product, graph.insertConstant(constant)});
    }
    graph.eraseOutput(0);
    graph.registerOutput(product);
    return model;
  }

  static at::Tensor Run(const ModelGraph& model, const at::Tensor& x) {
    return OrThrow(OrThrow(model.Clone()).Run({x})).toTensor();
  }

  const at::Tensor x_ = at::tensor({1.0f, -2.0f});
  const at::Tensor a_ = at::full({2}, 3.0);
  const at::Tensor b_ = at::full({2}, 5.0);
};

TEST_F(ReplaceTensorsTest, ReplacesEachConstantThatIsTheTensor) {
  ModelGraph model = Product(a_);
  EXPECT_TRUE(Replace(model, {{a_, b_}}));
  EXPECT_TRUE(Run(model, x_).equal(x_ * b_ * b_));
}

TEST_F(ReplaceTensorsTest, ATensorThatIsEqualStays) {
  ModelGraph model = Product(a_);
  EXPECT_FALSE(Replace(model, {{a_.clone(), b_}}));
  EXPECT_TRUE(Run(model, x_).equal(x_ * a_ * a_));
}

TEST_F(ReplaceTensorsTest, OneThatIsMissingIsTold) {
  ModelGraph model = Product(a_);
  EXPECT_FALSE(Replace(model, {{a_, b_}, {b_.clone(), a_}}));
  EXPECT_TRUE(Run(model, x_).equal(x_ * b_ * b_));
}

TEST_F(ReplaceTensorsTest, NodesBehindTheEndStay) {
  ModelGraph model = Product(a_);
  Graph& graph = model.graph();
  Node* const first = NodeOf(graph, "aten::mul");
  EXPECT_TRUE(ReplaceTensors(model, *graph.nodes().begin(), first, {{a_, b_}}));
  EXPECT_TRUE(Run(model, x_).equal(x_ * a_ * b_));
}

TEST_F(ReplaceTensorsTest, ReplacesElementsOfAConstantList) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  return (%x))IR");
  Graph& graph = model.graph();
  Value* list = graph.insertConstant(c10::List<at::Tensor>({a_, b_}));
  Value* zero = NodeOf(graph, "prim::Constant")->output();
  Value* sum = graph.insert(c10::aten::cat, {list, zero});
  graph.eraseOutput(0);
  graph.registerOutput(sum);
  const at::Tensor c = at::full({2}, 7.0);
  EXPECT_TRUE(Replace(model, {{b_, c}}));
  EXPECT_TRUE(Run(model, x_).equal(at::cat({a_, c})));
}

TEST_F(ReplaceTensorsTest, ReplacesInBlocks) {
  ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModule("Model",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    if bool(x.sum() > 0):\n"
                 "        return x + self.c\n"
                 "    return x - self.c\n",
                 {{"c", a_}})));
  // Freezing may have copied it.
  std::vector<TensorReplacement> replacements;
  for (const Node* node : NodesOf(model.graph(), "prim::Constant")) {
    const auto& type = *node->output()->type();
    if (type.isSubtypeOf(*c10::TensorType::get())) {
      replacements.push_back({node->t(c10::attr::value), b_});
    }
  }
  ASSERT_FALSE(replacements.empty());
  EXPECT_TRUE(Replace(model, replacements));
  EXPECT_TRUE(Run(model, a_).equal(a_ + b_));
  EXPECT_TRUE(Run(model, -a_).equal(-a_ - b_));
}

TEST_F(ReplaceTensorsTest, SetsAttributesOfTheModel) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  return (%x))IR");
  model.module().register_attribute("ns_copied_0", c10::TensorType::get(), a_);
  Graph& graph = model.graph();
  Node* get =
      graph.insertNode(graph.createGetAttr(graph.inputs()[0], "ns_copied_0"));
  Value* sum = graph.insert(c10::aten::add, {graph.inputs()[1], get->output(),
                                             graph.insertConstant(1)});
  graph.eraseOutput(0);
  graph.registerOutput(sum);
  EXPECT_TRUE(Replace(model, {{a_, b_}}));
  EXPECT_TRUE(model.module().attr("ns_copied_0").toTensor().is_same(b_));
}

}  // namespace
}  // namespace ns
