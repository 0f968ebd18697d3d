#include "passes/quantization/observe/fx_unobserved.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool IsPool(const torch::jit::Node& node) {
  return OpName(node) == "aten::max_pool2d";
}

// The names of the values that are found, of %x, %c, %p and %q: an input, what
// a convolution makes of it, and two pools of that.
std::vector<std::string> Unobserved(const std::string& lines) {
  const NamedGraph graph(absl::StrCat(R"IR(
graph(%x : Tensor, %w : Tensor, %none : NoneType, %ones : int[], %zeros : int[],
      %zero : int, %one : int, %minus : int, %no : bool):
  %c : Tensor = aten::conv2d(%x, %w, %none, %ones, %zeros, %ones, %one)
  %p : Tensor = aten::max_pool2d(%c, %ones, %ones, %zeros, %ones, %no)
  %q : Tensor = aten::max_pool2d(%p, %ones, %ones, %zeros, %ones, %no))IR",
                                      lines, "\n  return (%y)"));
  const auto found = FindUnobservedByFx(*graph, IsPool);
  std::vector<std::string> names;
  for (const std::string name : {"x", "c", "p", "q"}) {
    if (found.contains(graph.Named(name))) {
      names.push_back(name);
    }
  }
  EXPECT_EQ(names.size(), found.size());
  return names;
}

TEST(FxUnobservedTest, SizesThatBecomeArgumentsOfAView) {
  EXPECT_THAT(Unobserved(R"IR(
  %n : int = aten::size(%x, %zero)
  %s : int[] = prim::ListConstruct(%n, %minus)
  %y : Tensor = aten::view(%q, %s))IR"),
              ElementsAre("x"));
}

TEST(FxUnobservedTest, TheMistakeReachesWhatPoolsTake) {
  EXPECT_THAT(Unobserved(R"IR(
  %n : int = aten::size(%q, %zero)
  %s : int[] = prim::ListConstruct(%n, %minus)
  %y : Tensor = aten::reshape(%q, %s))IR"),
              ElementsAre("c", "p", "q"));
}

TEST(FxUnobservedTest, DividedSizesCount) {
  EXPECT_THAT(Unobserved(R"IR(
  %n : int = aten::size(%c, %zero)
  %h : int = aten::floordiv(%n, %one)
  %y : Tensor = aten::transpose(%q, %h, %one))IR"),
              ElementsAre("c"));
}

TEST(FxUnobservedTest, SizesThatDivideDoNot) {
  EXPECT_THAT(Unobserved(R"IR(
  %n : int = aten::size(%c, %zero)
  %h : int = aten::floordiv(%one, %n)
  %y : Tensor = aten::transpose(%q, %h, %one))IR"),
              IsEmpty());
}

TEST(FxUnobservedTest, OtherUsesOfSizesDoNot) {
  EXPECT_THAT(Unobserved(R"IR(
  %n : int = aten::size(%c, %zero)
  %y : Tensor = aten::mul(%q, %n))IR"),
              IsEmpty());
  EXPECT_THAT(Unobserved(R"IR(
  %n : int = aten::size(%c, %zero)
  %y : Tensor = aten::flatten(%q, %n, %one))IR"),
              IsEmpty());
}

// `x.shape[0]`, which has no second input.
TEST(FxUnobservedTest, ShapesDoNot) {
  EXPECT_THAT(Unobserved(R"IR(
  %shape : int[] = aten::size(%c)
  %y : Tensor = aten::view(%q, %shape))IR"),
              IsEmpty());
}

TEST(FxUnobservedTest, SizesInsideControlFlowCount) {
  EXPECT_THAT(Unobserved(R"IR(
  %y : Tensor = prim::If(%no)
    block0():
      %n : int = aten::size(%c, %zero)
      %s : int[] = prim::ListConstruct(%n, %minus)
      %v : Tensor = aten::view(%q, %s)
      -> (%v)
    block1():
      -> (%q))IR"),
              ElementsAre("c"));
}

}  // namespace
}  // namespace ns
