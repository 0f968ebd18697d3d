#include "ir/fold_attributes.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/inline_modules.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Graph;
using ::torch::jit::Module;

std::shared_ptr<Graph> Folded(const Module& model) {
  const auto graph = model.get_method("forward").graph()->copy();
  NS_EXPECT_OK(InlineModules(model, *graph));
  FoldAttributes(model, *graph);
  graph->lint();
  return graph;
}

// Names of the tensor constants of `graph`.
std::vector<std::string> TensorConstants(const Graph& graph) {
  std::vector<std::string> names;
  for (const torch::jit::Node* node : NodesOf(graph, "prim::Constant")) {
    if (node->output()->type()->kind() == c10::TypeKind::TensorType) {
      names.push_back(node->output()->debugName());
    }
  }
  return names;
}

TEST(FoldAttributesTest, NamesConstantAfterPath) {
  const auto graph = Folded(MakeModel({{"fc", Linear(at::ones({2, 3}))}},
                                      {"return self.fc.forward(x)"}));
  EXPECT_THAT(TensorConstants(*graph), ElementsAre("self.fc.weight"));
}

TEST(FoldAttributesTest, ConstantHoldsAttribute) {
  const at::Tensor weight = at::rand({2, 3});
  const auto graph = Folded(
      MakeModel({{"fc", Linear(weight)}}, {"return self.fc.forward(x)"}));
  const auto constant =
      torch::jit::toIValue(NodeOf(*graph, "aten::linear")->input(1));
  ASSERT_TRUE(constant.has_value());
  EXPECT_TRUE(constant->toTensor().equal(weight));
}

TEST(FoldAttributesTest, FoldsInsideControlFlow) {
  const auto graph = Folded(MakeModel(
      {{"fc", Linear(at::ones({2, 2}))}},
      {"for i in range(3):", "    x = self.fc.forward(x)", "return x"}));
  EXPECT_THAT(TensorConstants(*graph), SizeIs(1));
}

TEST(FoldAttributesTest, KeepsAttributeThatIsWritten) {
  const Module model = MakeModule("Model",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "    y = x + self.state\n"
                                  "    self.state = y\n"
                                  "    return y\n",
                                  {{"state", at::zeros({1})}});
  EXPECT_THAT(TensorConstants(*Folded(model)), IsEmpty());
}

TEST(FoldAttributesTest, KeepsAttributesThatAreNoTensors) {
  const Module model = MakeModule("Model",
                                  "def forward(self, x: Tensor) -> Tensor:\n"
                                  "    return x * self.factor\n",
                                  {{"factor", 2.0}});
  EXPECT_THAT(NodesOf(*Folded(model), "prim::GetAttr"), SizeIs(1));
}

TEST(FoldAttributesTest, LeavesGraphWithoutInputsAlone) {
  const auto graph = std::make_shared<Graph>();
  FoldAttributes(Module("__torch__.Empty"), *graph);
  EXPECT_THAT(AllNodes(*graph), IsEmpty());
}

}  // namespace
}  // namespace ns
