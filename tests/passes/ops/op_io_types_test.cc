#include "passes/ops/op_io_types.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/flatten/inline_modules.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// aten::erfinv is in LibTorch, and not in the op table.
constexpr char kOps[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::erfinv(%a)
  %c : Tensor = aten::erfinv_(%b)
  return (%c))IR";

TEST(OpIoTypesTest, KnowsTheOpTableAndWhatTheUserSays) {
  const auto graph = GraphOf(kOps);
  OpIoTypes types;
  const auto of = [&](const char* op) {
    return types.Find(*NodeOf(*graph, op));
  };
  EXPECT_EQ(of("aten::relu"), Numerics::kEither);
  EXPECT_EQ(of("aten::erfinv"), std::nullopt);
  NS_ASSERT_OK(types.Set("aten::erfinv", Numerics::kInt8));
  EXPECT_EQ(of("aten::erfinv"), Numerics::kInt8);
  EXPECT_EQ(of("aten::erfinv_"), Numerics::kInt8);
  EXPECT_EQ(of("aten::relu"), Numerics::kEither);
}

TEST(OpIoTypesTest, KnowsLeavesByTheirTypes) {
  const auto block = MakeModule("my.package.Block",
                                "def forward(self, x: Tensor) -> Tensor:\n"
                                "    return torch.relu(x)\n");
  ModelGraphOptions options;
  options.is_leaf = LeafTypes({"Block"});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"block", block}}, {"return self.block.forward(x)"}),
      options));
  const torch::jit::Node& call = *NodeOf(model.graph(), "prim::CallMethod");
  OpIoTypes types;
  NS_ASSERT_OK(types.Set("Other", Numerics::kFloat));
  EXPECT_EQ(types.Find(call), std::nullopt);
  NS_ASSERT_OK(types.Set("Block", Numerics::kEither));
  EXPECT_EQ(types.Find(call), Numerics::kEither);
}

TEST(OpIoTypesTest, RefusesWhatContradictsItself) {
  OpIoTypes types;
  NS_EXPECT_OK(types.Set("aten::relu", Numerics::kEither));
  EXPECT_EQ(types.Set("aten::relu_", Numerics::kInt8).message(),
            "aten::relu_ has the io type 'either' already");
  NS_EXPECT_OK(types.Set("aten::erfinv", Numerics::kInt8));
  NS_EXPECT_OK(types.Set("aten::erfinv_", Numerics::kInt8));
  EXPECT_EQ(types.Set("aten::erfinv", Numerics::kFloat).message(),
            "aten::erfinv has the io type 'int8' already");
}

TEST(OpIoTypesTest, RefusesUnknownOperators) {
  OpIoTypes types;
  EXPECT_THAT(
      std::string(types.Set("my::no_such_op", Numerics::kInt8).message()),
      HasSubstr("no operator 'my::no_such_op'"));
  EXPECT_FALSE(types.Set("", Numerics::kInt8).ok());
}

}  // namespace
}  // namespace ns
