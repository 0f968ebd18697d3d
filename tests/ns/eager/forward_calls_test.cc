#include "ns/eager/forward_calls.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/graph/module_path.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::torch::jit::Module;

Module Leaf() {
  return MakeModule("Leaf",
                    "def helper(self, x: Tensor) -> Tensor:\n"
                    "    return x\n"
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "    return x\n");
}

TEST(ForwardCallsTest, OverloadsAreForward) {
  for (const char* method : {"forward", "forward__0", "forward__12",
                             "forward_tensor", "forward_packed"}) {
    EXPECT_TRUE(IsForward(method)) << method;
  }
  for (const char* method : {"", "mask", "forward_features", "forward_",
                             "forward__", "forward__x"}) {
    EXPECT_FALSE(IsForward(method)) << method;
  }
}

TEST(ForwardCallsTest, HelpersCountWhereForwardIsNotCalled) {
  const Module model =
      MakeModel({{"a", Leaf()}, {"b", Leaf()}},
                {"x = self.a.helper(self.b.helper(x))", "x = self.a.forward(x)",
                 "return self.b.helper(x)"});
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(InlineModules(model, *graph, LeafTypes({"Leaf"})).status());
  std::vector<std::string> calls;
  for (const torch::jit::Node* call : ForwardCalls(*graph)) {
    calls.push_back(
        absl::StrCat(ModulePathOf(*call).fqn, ".", call->s(c10::attr::name)));
  }
  EXPECT_THAT(calls, ElementsAre("b.helper", "a.forward", "b.helper"));
}

}  // namespace
}  // namespace ns
