#include "ir/hierarchy/module_values.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Graph;
using ::torch::jit::Module;

Module Root() {
  return MakeModule("Root",
                    "def forward(self, x: Tensor) -> Tensor:\n  return x\n", {},
                    {{"relu", Relu()}});
}

// `lines` compute of %self, %x and %p, in the root module of Root().
absl::Status Typed(const Module& root, const std::string& lines) {
  const std::shared_ptr<Graph> graph =
      GraphOf("graph(%self, %x : Tensor, %p : bool):" + lines);
  return TypeModuleValues(root, "", *graph);
}

std::string MessageFor(const std::string& lines) {
  return std::string(Typed(Root(), lines).message());
}

TEST(ModuleValuesTest, ValuesGetTheTypesOfTheirObjects) {
  const Module root = Root();
  const std::shared_ptr<Graph> graph = GraphOf(R"IR(
graph(%self, %x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %relu = prim::GetAttr[name="relu"](%self)
      %z : Tensor = prim::CallMethod[name="forward"](%relu, %x)
      -> (%z)
    block1():
      -> (%x)
  return (%y))IR");
  ASSERT_TRUE(TypeModuleValues(root, "", *graph).ok());
  EXPECT_EQ(graph->inputs()[0]->type(), root.type());
  EXPECT_EQ(NodeOf(*graph, "prim::GetAttr")->output()->type(),
            root.attr("relu").toModule().type());
}

TEST(ModuleValuesTest, NamesWhatIsMissing) {
  EXPECT_EQ(MessageFor(R"IR(
  %c = prim::GetAttr[name="conv"](%self)
  return (%x))IR"),
            "the root module has no attribute 'conv', which the code of the "
            "root module uses");
  EXPECT_EQ(MessageFor(R"IR(
  %r = prim::GetAttr[name="relu"](%self)
  %y : Tensor = prim::CallMethod[name="backward"](%r, %x)
  return (%y))IR"),
            "module 'relu' has no method 'backward', which the code of the "
            "root module calls");
  EXPECT_THAT(MessageFor(R"IR(
  %r = prim::GetAttr[name="relu"](%self)
  %y : Tensor = prim::CallMethod[name="forward"](%r, %x, %x)
  return (%y))IR"),
              HasSubstr("and the code of the root module calls it otherwise"));
}

TEST(ModuleValuesTest, RefusesCodeThatDoesNotSayWhichObjectItUses) {
  EXPECT_THAT(MessageFor(R"IR(
  %r = prim::GetAttr[name="relu"](%self)
  %t = prim::TupleConstruct(%r, %x)
  return (%x))IR"),
              HasSubstr("hands a module on as a value"));
  EXPECT_THAT(MessageFor(R"IR(
  %m = prim::If(%p)
    block0():
      %a = prim::GetAttr[name="relu"](%self)
      -> (%a)
    block1():
      -> (%x)
  return (%x))IR"),
              HasSubstr("hands a module out of a block"));
  EXPECT_THAT(MessageFor(R"IR(
  return (%self))IR"),
              HasSubstr("hands a module out of a block"));
}

TEST(ModuleValuesTest, RefusesModulesThatAreArguments) {
  const Module root = Root();
  for (const c10::TypePtr& type :
       {c10::TypePtr(c10::InterfaceType::create("__torch__.Layer",
                                                /*is_module=*/true)),
        c10::TypePtr(Relu().type())}) {
    for (const char* text : {R"IR(
graph(%self, %x : Tensor, %m):
  %y : Tensor = prim::CallMethod[name="forward"](%m, %x)
  return (%y))IR",
                             R"IR(
graph(%self, %x : Tensor, %m):
  %relu = prim::GetAttr[name="relu"](%m)
  %y : Tensor = prim::CallMethod[name="forward"](%relu, %x)
  return (%y))IR"}) {
      const std::shared_ptr<Graph> graph = GraphOf(text);
      graph->inputs()[2]->setType(type);
      EXPECT_EQ(TypeModuleValues(root, "", *graph).message(),
                "the root module: its code uses a module that is an argument "
                "(%m), and so does not say which module object it uses; write "
                "it without that");
    }
  }
}

}  // namespace
}  // namespace ns
