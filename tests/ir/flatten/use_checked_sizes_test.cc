#include "ir/flatten/use_checked_sizes.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// Code that reads the sizes of %x, a check of `condition` and code after it.
std::string Checked(absl::string_view condition, absl::string_view after) {
  return absl::StrCat(R"IR(
graph(%x : Tensor, %y : Tensor, %message : str, %kind : str):
  %n : int = prim::Constant[value=16]()
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %last : int = prim::Constant[value=-1]()
  %sizes : int[] = aten::size(%x)
  %a : int, %b : int, %c : int = prim::ListUnpack(%sizes)
)IR",
                      condition, R"IR(
  prim::If(%good)
    block0():
      -> ()
    block1():
      prim::RaiseException(%message, %kind)
      -> ()
)IR",
                      after);
}

// Returns the number that the result of the graph becomes; nothing when it
// stays open.
std::optional<int64_t> Result(absl::string_view text) {
  const auto graph = GraphOf(text);
  UseCheckedSizes(*graph);
  graph->lint();
  const auto result = torch::jit::toIValue(graph->outputs()[0]);
  return result ? std::optional<int64_t>(result->toInt()) : std::nullopt;
}

TEST(UseCheckedSizesTest, UsesTheNumberAfterTheCheck) {
  EXPECT_EQ(
      Result(Checked("  %good : bool = aten::eq(%c, %n)", "  return (%c)")),
      16);
}

TEST(UseCheckedSizesTest, ReadsNegatedConditions) {
  EXPECT_EQ(Result(Checked("  %bad : bool = aten::ne(%n, %c)\n"
                           "  %good : bool = aten::__not__(%bad)",
                           "  return (%c)")),
            16);
}

TEST(UseCheckedSizesTest, ReadsChecksThatRaiseInFirstArm) {
  EXPECT_EQ(Result(R"IR(
graph(%x : Tensor, %message : str, %kind : str):
  %n : int = prim::Constant[value=16]()
  %last : int = prim::Constant[value=-1]()
  %size : int = aten::size(%x, %last)
  %bad : bool = aten::ne(%size, %n)
  prim::If(%bad)
    block0():
      prim::RaiseException(%message, %kind)
      -> ()
    block1():
      -> ()
  return (%size))IR"),
            16);
}

TEST(UseCheckedSizesTest, UsesItForTheSameDimension) {
  EXPECT_EQ(Result(Checked("  %good : bool = aten::eq(%c, %n)",
                           "  %size : int = aten::size(%x, %last)\n"
                           "  return (%size)")),
            16);
}

TEST(UseCheckedSizesTest, KeepsOtherDimensionsAndTensors) {
  EXPECT_EQ(Result(Checked("  %good : bool = aten::eq(%c, %n)",
                           "  %size : int = aten::size(%x, %one)\n"
                           "  return (%size)")),
            std::nullopt);
  EXPECT_EQ(Result(Checked("  %good : bool = aten::eq(%c, %n)",
                           "  %size : int = aten::size(%y, %last)\n"
                           "  return (%size)")),
            std::nullopt);
}

TEST(UseCheckedSizesTest, KeepsSizesWhenTheNumberIsExcluded) {
  EXPECT_EQ(
      Result(Checked("  %good : bool = aten::ne(%c, %n)", "  return (%c)")),
      std::nullopt);
}

TEST(UseCheckedSizesTest, KeepsSizesWhenATensorChangesItsShape) {
  EXPECT_EQ(Result(Checked("  %good : bool = aten::eq(%c, %n)",
                           "  %z : Tensor = aten::transpose_(%x, %zero, %one)\n"
                           "  %size : int = aten::size(%x, %last)\n"
                           "  return (%size)")),
            std::nullopt);
}

TEST(UseCheckedSizesTest, KeepsSizesWhenATensorTakesAResult) {
  EXPECT_EQ(Result(Checked("  %good : bool = aten::eq(%c, %n)",
                           "  %z : Tensor = aten::add(%y, %y, %one, %x)\n"
                           "  %size : int = aten::size(%x, %last)\n"
                           "  return (%size)")),
            std::nullopt);
}

TEST(UseCheckedSizesTest, KeepsWhatRunsBeforeTheCheck) {
  const auto graph =
      GraphOf(Checked("  %good : bool = aten::eq(%c, %n)", "  return (%c)"));
  EXPECT_TRUE(UseCheckedSizes(*graph));
  EXPECT_FALSE(UseCheckedSizes(*graph));
  EXPECT_FALSE(torch::jit::toIValue(NodeOf(*graph, "aten::eq")->input(0)));
}

}  // namespace
}  // namespace ns
