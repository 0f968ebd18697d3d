#include "ir/graph/module_path.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/scope.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::torch::jit::Node;

TEST(JoinPathTest, EitherPartMayBeEmpty) {
  EXPECT_EQ(JoinPath("layer1", "0"), "layer1.0");
  EXPECT_EQ(JoinPath("", "0"), "0");
  EXPECT_EQ(JoinPath("layer1", ""), "layer1");
  EXPECT_EQ(JoinPath("", ""), "");
}

class ModulePathTest : public testing::Test {
 protected:
  ModulePath RoundTrip(const ModulePath& path) {
    node_->setScope(ScopeFor(path, graph_->current_scope()));
    return ModulePathOf(*node_);
  }

  std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  Node* node_ = NodeOf(*graph_, "aten::relu");
};

TEST_F(ModulePathTest, IsEmptyWithoutScope) {
  EXPECT_EQ(ModulePathOf(*node_), ModulePath());
}

TEST_F(ModulePathTest, IsEmptyForScopeOfTracing) {
  node_->setScope(graph_->current_scope()->push(
      c10::Symbol::scope("__module.layer1(torch.nn.Conv2d)")));
  EXPECT_EQ(ModulePathOf(*node_), ModulePath());
}

TEST_F(ModulePathTest, SurvivesScope) {
  const ModulePath path = {"layer1.0.conv1", 0, "torch.nn.modules.conv.Conv2d"};
  EXPECT_EQ(RoundTrip(path), path);
}

TEST_F(ModulePathTest, KeepsCallIndex) {
  const ModulePath path = {"fc", 12, "Linear"};
  EXPECT_EQ(RoundTrip(path), path);
}

// LibTorch moves its short texts then.
TEST_F(ModulePathTest, StaysWhereItIsWhenMoreNamesCome) {
  const ModulePath path = RoundTrip({"fc", 0, "M"});
  for (int i = 0; i < 20000; ++i) {
    c10::Symbol::scope(absl::StrCat("more", i));
  }
  EXPECT_EQ(path.fqn, "fc");
  EXPECT_EQ(path.type, "M");
  EXPECT_EQ(ModulePathOf(*node_).fqn.data(), path.fqn.data());
}

TEST_F(ModulePathTest, KeepsRoot) {
  const ModulePath path = {"", 0, "Model"};
  EXPECT_EQ(RoundTrip(path), path);
}

TEST_F(ModulePathTest, KeepsNamesWithAtAndParentheses) {
  const ModulePath path = {"a@2", 3, "My(odd)Type@1"};
  EXPECT_EQ(RoundTrip(path), path);
}

// add_module takes any name without a dot.
TEST_F(ModulePathTest, KeepsAnyName) {
  for (const absl::string_view fqn :
       {"a(b", "x)y", "()", "a<b", "$(id)", "a@b", "@", "a%28b", "%", "100%",
        "\x1b[31mred", "new\nline", "\x7f", "scope::a", "\u00e9", "\xff"}) {
    const ModulePath path = {fqn, 2, "My<odd>(Type"};
    EXPECT_EQ(RoundTrip(path), path) << fqn;
  }
}

// Symbols end at a NUL.
TEST_F(ModulePathTest, KeepsNamesWithNul) {
  using namespace std::string_literals;
  const std::string first = "a\0b"s;
  const std::string second = "a\0c"s;
  const ModulePath path = RoundTrip({first, 0, "Linear"});
  EXPECT_EQ(path.fqn, first);
  EXPECT_EQ(path.type, "Linear");
  EXPECT_EQ(RoundTrip({second, 0, "Linear"}).fqn, second);
  EXPECT_EQ(path.fqn, first);
}

TEST_F(ModulePathTest, SurvivesCopyOfGraph) {
  const ModulePath path = {"fc", 1, "Linear"};
  RoundTrip(path);
  const auto copy = graph_->copy();
  EXPECT_EQ(ModulePathOf(*NodeOf(*copy, "aten::relu")), path);
}

TEST(CallNameTest, IsFqnForFirstCall) {
  EXPECT_EQ(CallName({"layer1.fc", 0, "Linear"}), "layer1.fc");
}

TEST(CallNameTest, NumbersLaterCalls) {
  EXPECT_EQ(CallName({"fc", 1, "Linear"}), "fc@1");
  EXPECT_EQ(CallName({"fc", 10, "Linear"}), "fc@10");
}

TEST(UnmangledTypeNameTest, DropsPrefix) {
  EXPECT_EQ(UnmangledTypeName("__torch__.torch.nn.modules.conv.Conv2d"),
            "torch.nn.modules.conv.Conv2d");
}

TEST(UnmangledTypeNameTest, DropsMangling) {
  EXPECT_EQ(UnmangledTypeName(
                "__torch__.torch.nn.modules.conv.___torch_mangle_7.Conv2d"),
            "torch.nn.modules.conv.Conv2d");
  EXPECT_EQ(UnmangledTypeName("__torch__.___torch_mangle_123.Model"), "Model");
}

TEST(UnmangledTypeNameTest, KeepsOtherNames) {
  EXPECT_EQ(UnmangledTypeName("Model"), "Model");
  EXPECT_EQ(UnmangledTypeName(""), "");
}

TEST(IsFusedModuleTest, HoldsForIntrinsicModules) {
  EXPECT_TRUE(IsFusedModule("torch.nn.intrinsic.modules.fused.ConvReLU2d"));
  EXPECT_TRUE(IsFusedModule(
      "torch.ao.nn.intrinsic.quantized.modules.conv_relu.ConvReLU2d"));
}

TEST(IsFusedModuleTest, FailsForOtherModules) {
  EXPECT_FALSE(IsFusedModule("torch.nn.modules.conv.Conv2d"));
  EXPECT_FALSE(IsFusedModule("torch.nn.intrinsics.Fake"));
  EXPECT_FALSE(IsFusedModule(""));
}

TEST(IsTypeNamedTest, TakesAllOrTheLastPart) {
  EXPECT_TRUE(IsTypeNamed("torch.nn.modules.linear.Linear", "Linear"));
  EXPECT_TRUE(IsTypeNamed("torch.nn.modules.linear.Linear",
                          "torch.nn.modules.linear.Linear"));
  EXPECT_TRUE(IsTypeNamed("Block", "Block"));
}

TEST(IsTypeNamedTest, TakesNoOtherPart) {
  EXPECT_FALSE(IsTypeNamed("torch.nn.modules.linear.Linear", "linear.Linear"));
  EXPECT_FALSE(IsTypeNamed("my.QuantizedLinear", "Linear"));
  EXPECT_FALSE(
      IsTypeNamed("torch.nn.modules.linear.Linear", "torch.nn.modules.linear"));
}

TEST(IsTypeNamedTest, TakesEitherHomeOfAModule) {
  EXPECT_TRUE(IsTypeNamed("torch.ao.nn.quantized.modules.linear.Linear",
                          "torch.nn.quantized.modules.linear.Linear"));
  EXPECT_TRUE(IsTypeNamed("torch.quantization.stubs.QuantStub",
                          "torch.ao.quantization.stubs.QuantStub"));
}

}  // namespace
}  // namespace ns
