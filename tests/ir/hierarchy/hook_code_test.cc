#include "ir/hierarchy/hook_code.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::torch::jit::Module;

Module Double(const std::string& signature = "x: Tensor) -> Tensor") {
  return MakeModule("Double",
                    "def forward(self, " + signature + ":\n  return x + x\n");
}

// A module with two hooks, of which `forward` calls both.
Module Child(const std::string& name) {
  return MakeModule(name,
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return self.hook.forward(self.hook.forward(x))\n",
                    {}, {{"hook", Double()}});
}

Module Root(const std::string& result) {
  return MakeModule("Root",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return " +
                        result + "\n",
                    {}, {{"a", Child("A")}, {"b", Child("B")}});
}

TEST(CheckHookTest, WantsOneTensorForAnother) {
  NS_EXPECT_OK(CheckHook(Double()._ivalue()));
  EXPECT_FALSE(CheckHook(Double("x: int) -> int")._ivalue()).ok());
  EXPECT_FALSE(CheckHook(3).ok());
}

TEST(ReadsOfHooksTest, AreTheReadsOfAllModulesThatAreGiven) {
  const Module root = Root("self.b.forward(self.a.forward(x))");
  const Module a = root.attr("a").toModule();
  const Module b = root.attr("b").toModule();
  EXPECT_THAT(OrThrow(ReadsOfHooks(root, {{"a", a}}, "hook")), SizeIs(2));
  const auto reads = OrThrow(ReadsOfHooks(root, {{"a", a}, {"b", b}}, "hook"));
  EXPECT_THAT(reads, SizeIs(4));
  for (const torch::jit::Node* read : reads) {
    EXPECT_EQ(read->kind(), c10::prim::GetAttr);
  }
}

TEST(ReadsOfHooksTest, OtherCodeIsNamed) {
  const Module root = Root("self.a.hook.forward(self.b.forward(x))");
  const Module a = root.attr("a").toModule();
  const Module b = root.attr("b").toModule();
  EXPECT_THAT(MessageOf(ReadsOfHooks(root, {{"a", a}}, "hook")),
              HasSubstr("the code of module '' uses the attribute 'hook' of "
                        "module 'a' otherwise than a hook"));
  NS_EXPECT_OK(ReadsOfHooks(root, {{"b", b}}, "hook").status());
}

}  // namespace
}  // namespace ns
