#include "ir/flatten/fold_written_constants.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

void ExpectFolded(absl::string_view before, absl::string_view after) {
  const auto graph = GraphOf(before);
  EXPECT_TRUE(FoldWrittenConstants(*graph));
  graph->lint();
  ExpectIr(graph, after);
}

void ExpectUntouched(absl::string_view text) {
  const auto graph = GraphOf(text);
  EXPECT_FALSE(FoldWrittenConstants(*graph));
  ExpectIr(graph, text);
}

TEST(FoldWrittenConstantsTest, UsersGetTheValueAsItIsWhenTheyRun) {
  ExpectFolded(R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %two : int = prim::Constant[value=2]()
  %long : int = prim::Constant[value=4]()
  %one : int = prim::Constant[value=1]()
  %number : Tensor = aten::scalar_tensor(%two, %long, %none, %none, %none)
  %before : int = aten::IntImplicit(%number)
  %1 : Tensor = aten::add_(%number, %one, %one)
  %after : int = aten::IntImplicit(%number)
  %y : Tensor = aten::mul(%x, %before)
  %z : Tensor = aten::mul(%y, %after)
  return (%z))IR",
               R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %two : int = prim::Constant[value=2]()
  %long : int = prim::Constant[value=4]()
  %one : int = prim::Constant[value=1]()
  %before : int = prim::Constant[value=2]()
  %y : Tensor = aten::mul(%x, %before)
  %after : int = prim::Constant[value=3]()
  %z : Tensor = aten::mul(%y, %after)
  return (%z))IR");
}

TEST(FoldWrittenConstantsTest, KeepsTensorWhenAnotherValueIsWrittenToIt) {
  ExpectUntouched(R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %two : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %number : Tensor = aten::scalar_tensor(%two, %none, %none, %none, %none)
  %1 : Tensor = aten::add_(%number, %one, %one)
  %2 : Tensor = aten::add_(%number, %x, %one)
  return (%number))IR");
}

TEST(FoldWrittenConstantsTest, KeepsTensorWhenAnArmWritesToIt) {
  ExpectUntouched(R"IR(
graph(%p : bool):
  %none : NoneType = prim::Constant()
  %two : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %number : Tensor = aten::scalar_tensor(%two, %none, %none, %none, %none)
  prim::If(%p)
    block0():
      %1 : Tensor = aten::add_(%number, %one, %one)
      -> ()
    block1():
      -> ()
  return (%number))IR");
}

TEST(FoldWrittenConstantsTest, KeepsRandomNumbers) {
  ExpectUntouched(R"IR(
graph():
  %none : NoneType = prim::Constant()
  %sizes : int[] = prim::Constant[value=[2]]()
  %one : int = prim::Constant[value=1]()
  %number : Tensor = aten::rand(%sizes, %none, %none, %none, %none)
  %1 : Tensor = aten::add_(%number, %one, %one)
  return (%number))IR");
}

}  // namespace
}  // namespace ns
