#include "passes/rewrite/idle_dropouts.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "absl/strings/str_replace.h"
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

// Expects that of a dropout that computes %d from %y, followed by the lines
// `text`, only `text` is left, with %y for %d.
void ExpectRemoved(const std::string& text) {
  const std::string start = R"IR(
graph(%x : Tensor):
  %half : float = prim::Constant[value=0.5]()
  %no : bool = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %y : Tensor = aten::neg(%x)
)IR";
  for (const std::string op : {"dropout", "dropout_"}) {
    const std::shared_ptr<torch::jit::Graph> graph = GraphOf(
        start + "  %d : Tensor = aten::" + op + "(%y, %half, %no)\n" + text);
    EXPECT_TRUE(ReplaceIdleDropouts(*graph));
    ExpectIr(graph, start + absl::StrReplaceAll(text, {{"%d", "%y"}}));
    EXPECT_FALSE(ReplaceIdleDropouts(*graph));
  }
}

TEST(IdleDropoutsTest, AreRemovedWhereTheirOutputIsWritten) {
  ExpectRemoved(R"IR(  %z : Tensor = aten::relu_(%d)
  %s : Tensor = aten::add(%y, %z, %one)
  return (%s))IR");
}

TEST(IdleDropoutsTest, AreRemovedWhereTheirInputIsWrittenLater) {
  ExpectRemoved(R"IR(  %z : Tensor = aten::relu_(%y)
  %s : Tensor = aten::add(%d, %z, %one)
  return (%s))IR");
}

TEST(IdleDropoutsTest, StayWhereTheirInputWasWrittenBefore) {
  constexpr char kText[] = R"IR(
graph(%x : Tensor):
  %half : float = prim::Constant[value=0.5]()
  %no : bool = prim::Constant[value=0]()
  %y : Tensor = aten::neg(%x)
  %z : Tensor = aten::relu_(%y)
  %d : Tensor = aten::dropout(%y, %half, %no)
  return (%d))IR";
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(kText);
  EXPECT_FALSE(ReplaceIdleDropouts(*graph));
  ExpectIr(graph, kText);
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
