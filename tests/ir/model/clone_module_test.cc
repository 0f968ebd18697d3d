#include "ir/model/clone_module.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <utility>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::CompilationUnit;
using ::torch::jit::Module;

constexpr char kDouble[] =
    "def forward(self, x: Tensor) -> Tensor:\n"
    "    return x + x\n";

std::weak_ptr<CompilationUnit> UnitOf(const Module& module) {
  return module._ivalue()->compilation_unit();
}

TEST(CloneModuleTest, ACopyIsFreedWithItsConstants) {
  const ModelGraph model =
      OrThrow(ModelGraph::FromModule(MakeModule("Model", kDouble, {})));
  at::Tensor weight = at::ones({4});
  const c10::weak_intrusive_ptr<at::TensorImpl, at::UndefinedTensorImpl> tensor(
      weight.getIntrusivePtr());
  {
    ModelGraph copy = OrThrow(model.Clone());
    torch::jit::Graph& graph = copy.graph();
    const torch::jit::WithInsertPoint here(graph.block());
    torch::jit::Value* constant = graph.insertConstant(std::move(weight));
    graph.block()->replaceOutput(
        0, graph.insert(c10::aten::add, {graph.outputs()[0], constant}));
    EXPECT_EQ(OrThrow(copy.Run({at::ones({4})})).toTensor()[0].item<float>(),
              3);
    EXPECT_FALSE(tensor.expired());
  }
  EXPECT_TRUE(tensor.expired());
}

TEST(CloneModuleTest, ACopyKeepsTheUnitOfItsOriginal) {
  Module module = MakeModule("Model", kDouble, {});
  const std::weak_ptr<CompilationUnit> original = UnitOf(module);
  Module copy = CloneModule(module);
  EXPECT_NE(UnitOf(copy).lock(), original.lock());
  module = Module();
  EXPECT_FALSE(original.expired());
  EXPECT_EQ(copy.forward({at::ones({1})}).toTensor().item<float>(), 2);
  const std::weak_ptr<CompilationUnit> unit = UnitOf(copy);
  copy = Module();
  EXPECT_TRUE(unit.expired());
  EXPECT_TRUE(original.expired());
}

TEST(CloneModuleTest, SubmodulesAreCopiedIntoTheSameUnit) {
  Module inner = MakeModule("Inner", kDouble, {});
  const at::Tensor weight = at::ones({2});
  inner.register_parameter("weight", weight, /*is_buffer=*/false);
  const Module outer = MakeModel({{"a", inner}, {"b", inner}},
                                 {"return self.b.forward(self.a.forward(x))"});
  Module copy = CloneModule(outer);
  const Module a = copy.attr("a").toModule();
  EXPECT_NE(a._ivalue(), inner._ivalue());
  EXPECT_NE(a.type(), inner.type());
  EXPECT_EQ(UnitOf(a).lock(), UnitOf(copy).lock());
  EXPECT_TRUE(a.attr("weight").toTensor().is_same(
      outer.attr("a").toModule().attr("weight").toTensor()));
  EXPECT_EQ(copy.forward({at::ones({1})}).toTensor().item<float>(), 4);
}

}  // namespace
}  // namespace ns
