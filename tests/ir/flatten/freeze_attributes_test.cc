#include "ir/flatten/freeze_attributes.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/freeze_module.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "ir/text/text.h"
#include "llvm/ADT/DenseSet.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Module;

// Returns the inlined graph of `module`.
std::shared_ptr<Graph> Inlined(Module& module) {
  module.eval();
  std::shared_ptr<Graph> graph = module.get_method("forward").graph();
  torch::jit::Inline(*graph);
  return graph;
}

// Freezes a copy of `module`, after FreezeAttributes if `before`.
std::string Frozen(const Module& module, bool before) {
  Module copy = module.clone();
  const std::shared_ptr<Graph> graph = Inlined(copy);
  llvm::DenseSet<const torch::jit::Node*> constants;
  if (before) {
    constants = FreezeAttributes(copy, graph);
    EXPECT_FALSE(constants.empty());
  }
  torch::jit::freeze_module_inplace(&copy);
  RestoreShapes(constants, *graph);
  // With the names of constants, which CanonicalText replaces.
  std::string names;
  for (const torch::jit::Node* node : graph->nodes()) {
    if (node->kind() == c10::prim::Constant && node->output()->hasDebugName()) {
      names += node->output()->debugName() + "\n";
    }
  }
  // The class has another name in each copy.
  const std::string text = CanonicalText(graph);
  return names + text.substr(text.find('\n'));
}

Module TwoLayers() {
  const at::Tensor weight = at::randn({2, 2});
  return MakeModel({{"a", Linear(weight)},
                    {"b", Linear(at::randn({2, 2}))},
                    {"c", Linear(weight.clone())}},
                   {"y = self.b.forward(self.a.forward(x))",
                    "return self.c.forward(self.a.forward(y))"});
}

TEST(FreezeAttributesTest, ConstantsAreThoseOfFreezing) {
  const Module module = TwoLayers();
  EXPECT_EQ(Frozen(module, /*before=*/true), Frozen(module, /*before=*/false));
}

TEST(FreezeAttributesTest, NoAttributeIsLeft) {
  Module module = TwoLayers();
  const std::shared_ptr<Graph> graph = Inlined(module);
  ASSERT_EQ(FreezeAttributes(module, graph).size(), 3);
  for (const torch::jit::Node* node : graph->nodes()) {
    EXPECT_TRUE(node->kind() != c10::prim::GetAttr ||
                node->output()->uses().empty() ||
                node->output()->type()->is_module());
  }
  graph->lint();
}

TEST(FreezeAttributesTest, LeavesGraphWhoseAttributesAreWritten) {
  Module module("__torch__.Counter");
  module.register_buffer("count", at::zeros({1}));
  module.define(R"(
    def forward(self, x):
      self.count.add_(1)
      return x + self.count
  )");
  const std::shared_ptr<Graph> graph = Inlined(module);
  const std::string text = CanonicalText(graph);
  EXPECT_TRUE(FreezeAttributes(module, graph).empty());
  EXPECT_EQ(CanonicalText(graph), text);
}

TEST(FreezeAttributesTest, LeavesGraphWithListAttribute) {
  Module module("__torch__.Lists");
  module.register_attribute("sizes", c10::ListType::ofInts(),
                            c10::List<int64_t>({2, 1}));
  module.register_buffer("offset", at::zeros({1}));
  module.define(R"(
    def forward(self, x):
      return x.reshape(self.sizes) + self.offset
  )");
  const std::shared_ptr<Graph> graph = Inlined(module);
  const std::string text = CanonicalText(graph);
  EXPECT_TRUE(FreezeAttributes(module, graph).empty());
  EXPECT_EQ(CanonicalText(graph), text);
}

}  // namespace
}  // namespace ns
