#include "passes/rewrite/idle_dropouts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

TEST(IdleDropoutsTest, AreOutOfPlace) {
  for (const std::string op : {"dropout", "feature_dropout", "alpha_dropout",
                               "feature_alpha_dropout"}) {
    const auto text = [&](const std::string& suffix) {
      return R"IR(
graph(%x : Tensor):
  %half : float = prim::Constant[value=0.5]()
  %no : bool = prim::Constant[value=0]()
  %y : Tensor = aten::)IR" +
             op + suffix + "(%x, %half, %no)\n  return (%y)";
    };
    const std::shared_ptr<torch::jit::Graph> graph = GraphOf(text("_"));
    EXPECT_TRUE(ReplaceIdleDropouts(*graph));
    ExpectIr(graph, text(""));
    EXPECT_FALSE(ReplaceIdleDropouts(*graph));
  }
}

TEST(IdleDropoutsTest, ThoseThatMayDropStay) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor, %train : bool):
  %half : float = prim::Constant[value=0.5]()
  %yes : bool = prim::Constant[value=1]()
  %y : Tensor = aten::dropout_(%x, %half, %train)
  %z : Tensor = aten::dropout_(%y, %half, %yes)
  return (%z))IR";
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(kText);
  EXPECT_FALSE(ReplaceIdleDropouts(*graph));
  ExpectIr(graph, kText);
}

}  // namespace
}  // namespace ns
