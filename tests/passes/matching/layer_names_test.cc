#include "passes/matching/layer_names.h"

#include <torch/csrc/jit/ir/ir.h>

#include <random>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr char kConvType[] = "torch.nn.modules.conv.Conv2d";

// Names of a model that has a relu in "block.relu".
LayerNames NamesOf() {
  const auto block = MakeModule("torch.nn.modules.container.Sequential",
                                "def forward(self, x: Tensor) -> Tensor:\n"
                                "    return self.relu.forward(x)\n",
                                {}, {{"relu", Relu()}});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"block", block}}, {"return self.block.forward(x)"})));
  const OpRelations relations;
  return LayerNames(MatchableNodes(model.graph(), relations));
}

TEST(LayerNamesTest, LibraryModuleIsTheOp) {
  EXPECT_EQ(NamesOf().NameOf({"layer1.conv", 0, kConvType}, "aten::conv2d"),
            "layer1.conv");
}

TEST(LayerNamesTest, OtherModuleTakesTheOpsShortName) {
  EXPECT_EQ(NamesOf().NameOf({"layer1.0", 0, "Block"}, "quantized::add_relu"),
            "layer1.0.add_relu");
}

TEST(LayerNamesTest, InPlaceOpIsNamedAsItsPlainForm) {
  EXPECT_EQ(NamesOf().NameOf({"layer1.0", 0, "Block"}, "aten::add_"),
            "layer1.0.add");
}

TEST(LayerNamesTest, LibraryModuleThatHoldsOthersTakesTheOpsShortName) {
  EXPECT_EQ(
      NamesOf().NameOf({"block", 0, "torch.nn.modules.container.Sequential"},
                       "aten::add"),
      "block.add");
}

TEST(LayerNamesTest, GraphModuleIsNoLibraryModule) {
  EXPECT_EQ(NamesOf().NameOf({"m", 0, "torch.fx.graph_module.GraphModule"},
                             "aten::add"),
            "m.add");
}

TEST(LayerNamesTest, CodeOfRootIsNamedAfterTheOp) {
  EXPECT_EQ(NamesOf().NameOf({"", 0, "Model"}, "aten::add"), "add");
  EXPECT_EQ(NamesOf().NameOf({"", 0, kConvType}, "aten::conv2d"), "conv2d");
}

TEST(UniqueNamesTest, NumbersRepetitions) {
  UniqueNames names;
  EXPECT_EQ(names.Take("fc"), "fc");
  EXPECT_EQ(names.Take("fc"), "fc@1");
  EXPECT_EQ(names.Take("other"), "other");
  EXPECT_EQ(names.Take("fc"), "fc@2");
}

TEST(UniqueNamesTest, NamesWithNumbersStayUnique) {
  UniqueNames names;
  EXPECT_EQ(names.Take("fc@1"), "fc@1");
  EXPECT_EQ(names.Take("fc"), "fc");
  EXPECT_EQ(names.Take("fc"), "fc@2");
}

TEST(UniqueNamesTest, NamesThatWereMadeAreTaken) {
  UniqueNames names;
  EXPECT_EQ(names.Take("fc"), "fc");
  EXPECT_EQ(names.Take("fc"), "fc@1");
  EXPECT_EQ(names.Take("fc@1"), "fc@1@1");
  EXPECT_EQ(names.Take("fc@2"), "fc@2");
  EXPECT_EQ(names.Take("fc"), "fc@3");
  EXPECT_EQ(names.Take("fc@x"), "fc@x");
  EXPECT_EQ(names.Take("fc@01"), "fc@01");
}

TEST(UniqueNamesTest, AnyNamesStayUnique) {
  const std::string kParts[] = {"fc", "fc@1", "fc@2", "fc@1@1", "fc@01", "@1"};
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    UniqueNames names;
    std::set<std::string> taken;
    for (int i = 0; i < 30; ++i) {
      const std::string name = names.Take(kParts[random() % 6]);
      EXPECT_TRUE(taken.insert(name).second) << name;
    }
  }
}

}  // namespace
}  // namespace ns
