#include "ir/flatten/skip_fast_paths.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// How TorchScript writes
//
//   if fast:
//     return torch._native_multi_head_attention(...)
//   return F.linear(F.linear(x, w, b), out_w, out_b), None
constexpr char kEarlyReturn[] = R"IR(
graph(%x : Tensor, %fast : bool, %two : int, %none : NoneType, %self : Any):
  %yes : bool = prim::Constant[value=1]()
  %no : bool = prim::Constant[value=0]()
  %w : Tensor = prim::GetAttr[name="w"](%self)
  %b : Tensor = prim::GetAttr[name="b"](%self)
  %out_w : Tensor = prim::GetAttr[name="out_w"](%self)
  %out_b : Tensor = prim::GetAttr[name="out_b"](%self)
  %nothing : Tensor = prim::Uninitialized()
  %returned : bool, %result : Tensor = prim::If(%fast)
    block0():
      %y : Tensor, %weights : Tensor = aten::_native_multi_head_attention(%x, %x, %x, %two, %two, %w, %b, %out_w, %out_b, %none, %no, %no, %none)
      -> (CONDITION, %y)
    block1():
      -> (%no, NOTHING)
  %all : Tensor = prim::If(%returned)
    block0():
      -> (%result)
    block1():
      %qkv : Tensor = aten::linear(%x, %w, %b)
      %out : Tensor = aten::linear(%qkv, SLOW_WEIGHT, %out_b)
      -> (%out)
  return (%all))IR";

std::string EarlyReturn(absl::string_view condition, absl::string_view nothing,
                        absl::string_view slow_weight) {
  return absl::StrReplaceAll(kEarlyReturn, {{"CONDITION", condition},
                                            {"NOTHING", nothing},
                                            {"SLOW_WEIGHT", slow_weight}});
}

bool Skips(absl::string_view text) {
  const auto graph = GraphOf(text);
  const bool changed = SkipFastPaths(*graph);
  graph->lint();
  if (!changed) {
    ExpectIr(graph, text);
  }
  return changed;
}

TEST(SkipFastPathsTest, MakesTheConditionFalse) {
  const auto graph = GraphOf(EarlyReturn("%fast", "%nothing", "%out_w"));
  ASSERT_TRUE(SkipFastPaths(*graph));
  graph->lint();
  const torch::jit::Node* branch = NodeOf(*graph, "prim::If");
  const auto condition = torch::jit::toIValue(branch->input());
  ASSERT_TRUE(condition.has_value());
  EXPECT_FALSE(condition->toBool());
  // The flag that says whether the branch has returned is that condition.
  EXPECT_EQ(branch->blocks()[0]->outputs()[0], branch->input());
  EXPECT_TRUE(graph->inputs()[1]->uses().empty());
}

TEST(SkipFastPathsTest, KeepsBranchWhenTheOtherArmGivesAResult) {
  EXPECT_FALSE(Skips(EarlyReturn("%fast", "%x", "%out_w")));
}

// As where the slow branch was quantized.
TEST(SkipFastPathsTest, KeepsBranchWhenTheSlowOneReadsOtherParameters) {
  EXPECT_FALSE(Skips(EarlyReturn("%fast", "%nothing", "%w")));
}

TEST(SkipFastPathsTest, KeepsOpOutsideBranches) {
  EXPECT_FALSE(Skips(R"IR(
graph(%x : Tensor, %two : int, %none : NoneType, %w : Tensor, %b : Tensor, %no : bool):
  %y : Tensor, %weights : Tensor = aten::_native_multi_head_attention(%x, %x, %x, %two, %two, %w, %b, %w, %b, %none, %no, %no, %none)
  return (%y))IR"));
}

TEST(SkipFastPathsTest, KeepsBranchThatMayGetNestedTensors) {
  std::string text = EarlyReturn("%fast", "%nothing", "%out_w");
  text = absl::StrReplaceAll(
      text,
      {{"  %nothing : Tensor = prim::Uninitialized()\n",
        "  %nothing : Tensor = prim::Uninitialized()\n"
        "  %nested : Tensor = aten::_nested_tensor_from_mask(%x, %x, %no)\n"}});
  EXPECT_FALSE(Skips(text));
}

}  // namespace
}  // namespace ns
