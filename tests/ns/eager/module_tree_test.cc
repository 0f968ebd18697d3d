#include "ns/eager/module_tree.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

torch::jit::Module Tree() {
  return MakeModule(
      "Root", "", {},
      {{"a", MakeModule("Inner", "", {}, {{"0", Relu()}})}, {"b", Relu()}});
}

TEST(ModuleTreeTest, ParentsComeFirst) {
  const std::string relu = TypeNameOf(Relu());
  EXPECT_THAT(TypeNames(Tree()), ElementsAre("Root", "Inner", relu, relu));
}

TEST(ModuleTreeTest, TypesByPathHaveTheRoot) {
  const std::string relu = TypeNameOf(Relu());
  EXPECT_THAT(TypesByPath(Tree()),
              ElementsAre(Pair("", "Root"), Pair("a", "Inner"),
                          Pair("a.0", relu), Pair("b", relu)));
}

TEST(ModuleTreeTest, TypesAreListedQualifiedOrBare) {
  EXPECT_TRUE(IsTypeListed("torch.nn.Linear", {"Conv2d", "Linear"}));
  EXPECT_TRUE(IsTypeListed("torch.nn.Linear", {"torch.nn.Linear"}));
  EXPECT_FALSE(IsTypeListed("torch.nn.Linear", {"near", "nn"}));
  EXPECT_FALSE(IsTypeListed("torch.nn.Linear", {}));
}

}  // namespace
}  // namespace ns
