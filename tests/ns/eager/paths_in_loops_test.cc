#include "ns/eager/paths_in_loops.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ns/eager/module_tree.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

TEST(PathsInLoopsTest, HasTheLeafModulesThatALoopCalls) {
  const torch::jit::Module model =
      MakeModel({{"once", Relu()}, {"often", Relu()}, {"branch", Relu()}},
                {"x = self.once.forward(x)",
                 "if bool(x.sum() > 0):", "    x = self.branch.forward(x)",
                 "for _ in range(3):", "    if bool(x.sum() > 1):",
                 "        x = self.often.forward(x)", "return x"});
  const auto graph = model.get_method("forward").graph()->copy();
  NS_ASSERT_OK(
      InlineModules(model, *graph, LeafTypes({TypeNameOf(Relu())})).status());
  EXPECT_THAT(PathsInLoops(*graph), ElementsAre("often"));
}

}  // namespace
}  // namespace ns
