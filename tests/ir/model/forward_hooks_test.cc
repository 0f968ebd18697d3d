#include "ir/model/forward_hooks.h"

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/hooks.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::torch::jit::Module;

TEST(ForwardHooksTest, ThoseBeforeTheModuleComeFirst) {
  Module model = MakeModel({{"relu", Relu()}}, {"return self.relu.forward(x)"});
  AddHook(
      "def behind(self, input: Tuple[Tensor], output: Tensor) -> Tensor:\n"
      "  return output\n",
      "relu", model);
  AddPreHook(
      "def before(self, input: Tuple[Tensor]) -> Tuple[Tensor]:\n"
      "  return input\n",
      "relu", model);
  std::vector<std::string> names;
  for (const torch::jit::Function* hook :
       ForwardHooks(*model.attr("relu").toModule().type())) {
    names.push_back(hook->name());
  }
  EXPECT_THAT(names, ElementsAre("before", "behind"));
  EXPECT_TRUE(ForwardHooks(*model.type()).empty());
}

}  // namespace
}  // namespace ns
