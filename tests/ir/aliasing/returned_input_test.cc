#include "ir/aliasing/returned_input.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

// Whether the op that computes %r in a graph with these lines may share its
// first input with other values.
bool MayShare(const std::string& lines) {
  const NamedGraph graph(absl::StrCat(
      "graph(%x : Tensor, %w : Tensor, %p : float, %no : bool, %one : int):\n",
      lines, "  return (%r)"));
  return MayShareReturnedInput(*graph.Named("r")->node());
}

TEST(ReturnedInputTest, IsSharedWhereItIsUsedElsewhere) {
  EXPECT_TRUE(MayShare("  %r : Tensor = aten::type_as(%x, %w)\n"));
  EXPECT_TRUE(
      MayShare("  %y : Tensor = aten::neg(%x)\n"
               "  %r : Tensor = aten::dropout(%y, %p, %no)\n"
               "  %z : Tensor = aten::neg(%y)\n"));
  EXPECT_TRUE(
      MayShare("  %y : Tensor = aten::neg(%x)\n"
               "  %v : Tensor = aten::unsqueeze(%y, %one)\n"
               "  %r : Tensor = aten::atleast_2d(%v)\n"));
  EXPECT_TRUE(
      MayShare("  %y : Tensor = aten::type_as(%x, %w)\n"
               "  %r : Tensor = aten::type_as(%y, %w)\n"));
  EXPECT_TRUE(
      MayShare("  %y : Tensor = aten::relu_(%x)\n"
               "  %r : Tensor = aten::dropout(%y, %p, %no)\n"));
}

TEST(ReturnedInputTest, IsNotSharedWhereItIsForTheOpAlone) {
  EXPECT_FALSE(
      MayShare("  %y : Tensor = aten::neg(%x)\n"
               "  %r : Tensor = aten::type_as(%y, %w)\n"));
  EXPECT_FALSE(
      MayShare("  %y : Tensor = aten::neg(%x)\n"
               "  %z : Tensor = aten::relu_(%y)\n"
               "  %r : Tensor = aten::dropout(%z, %p, %no)\n"));
}

TEST(ReturnedInputTest, OtherOpsMakeTensorsOrSayWhatTheyShare) {
  EXPECT_FALSE(MayShare("  %r : Tensor = aten::neg(%x)\n"));
  EXPECT_FALSE(MayShare("  %r : Tensor = aten::unsqueeze(%x, %one)\n"));
}

}  // namespace
}  // namespace ns
