#include "ir/model/insert_method_call.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "passes/runtime/loggers/output_logger.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

class InsertMethodCallTest : public testing::Test {
 protected:
  InsertMethodCallTest() {
    const c10::IValue logger(c10::make_intrusive<OutputLogger>());
    model_.module().register_attribute("logger", logger.type(), logger);
    model_.module().register_module(
        "none", MakeModule("Quiet",
                           "def f(self, x: Tensor) -> None:\n"
                           "    pass\n"));
  }

  absl::StatusOr<torch::jit::Value*> Call(const std::string& attribute,
                                          const std::string& method) {
    return InsertMethodCall(model_, attribute, method,
                            {model_.graph().inputs()[1]},
                            model_.graph().return_node());
  }

  ModelGraph model_ = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::neg(%x)
  return (%y))IR");
};

TEST_F(InsertMethodCallTest, CallsTheObjectInFrontOfThePlace) {
  const torch::jit::Value* result = OrThrow(Call("logger", "forward"));
  EXPECT_EQ(result->type()->kind(), c10::TypeKind::TensorType);
  EXPECT_EQ(result->node()->next(), model_.graph().return_node());
  NS_EXPECT_OK(VerifyGraph(model_.graph()));
  OrThrow(model_.Run({at::ones({2})}));
  EXPECT_EQ(model_.module()
                .attr("logger")
                .toCustomClass<OutputLogger>()
                ->Stats()
                .size(),
            1);
}

TEST_F(InsertMethodCallTest, AGraphWithoutItsModuleIsRefused) {
  for (const char* inputs : {"", "%x : Tensor"}) {
    const auto graph = GraphOf(absl::StrCat("graph(", inputs, R"IR():
  %none : NoneType = prim::Constant()
  return (%none))IR"));
    const std::string before = graph->toString();
    EXPECT_EQ(MessageOf(InsertMethodCall(model_.module(), *graph, "logger",
                                         "forward", {}, graph->return_node())),
              "the graph has no module as its first input, whose methods it "
              "could call; give a model");
    EXPECT_EQ(graph->toString(), before);
  }
}

TEST_F(InsertMethodCallTest, MethodWithoutResultGivesNone) {
  EXPECT_EQ(OrThrow(Call("none", "f"))->type()->kind(),
            c10::TypeKind::NoneType);
}

TEST_F(InsertMethodCallTest, LeavesTheGraphWithoutTheAttributeOrTheMethod) {
  const std::string before = model_.graph().toString();
  EXPECT_EQ(MessageOf(Call("missing", "forward")),
            "the model has no attribute 'missing'");
  EXPECT_EQ(MessageOf(Call("logger", "missing")),
            "attribute 'logger', a __torch__.torch.classes.ns.OutputLogger, "
            "has no method 'missing'");
  EXPECT_EQ(model_.graph().toString(), before);
}

TEST_F(InsertMethodCallTest, AttributesThatAreNoObjectsHaveNoMethods) {
  model_.module().register_attribute("one", c10::IntType::get(), 1);
  EXPECT_EQ(MessageOf(Call("one", "forward")),
            "attribute 'one', a int, has no method 'forward'");
}

}  // namespace
}  // namespace ns
