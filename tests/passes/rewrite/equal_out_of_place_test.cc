#include "passes/rewrite/equal_out_of_place.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// Whether aten::relu_ has an equal form in a graph with these lines.
bool HasEqual(const std::string& lines) {
  const auto graph =
      GraphOf(absl::StrCat("graph(%x : Tensor, %w : Tensor, %one : int):\n"
                           "  %y : Tensor = aten::neg(%x)\n",
                           lines));
  return EqualOutOfPlace(*graph).Has(*NodeOf(*graph, "aten::relu_"));
}

TEST(EqualOutOfPlaceTest, NotWhereAnotherNameMayBeWritten) {
  for (const char* op : {"aten::type_as(%y, %w)", "aten::sum_to_size(%y, %s)",
                         "aten::atleast_2d(%y)"}) {
    const std::string made = absl::StrCat(
        "  %s : int[] = aten::size(%x)\n  %z : Tensor = ", op, "\n");
    EXPECT_FALSE(HasEqual(absl::StrCat(made,
                                       "  %r : Tensor = aten::relu_(%z)\n"
                                       "  %t : Tensor = aten::add(%y, %r, "
                                       "%one)\n"
                                       "  return (%t)")))
        << op;
    EXPECT_FALSE(HasEqual(absl::StrCat(made,
                                       "  %r : Tensor = aten::relu_(%y)\n"
                                       "  %t : Tensor = aten::add(%z, %r, "
                                       "%one)\n"
                                       "  return (%t)")))
        << op;
  }
}

TEST(EqualOutOfPlaceTest, WhereNothingElseSeesTheWrite) {
  EXPECT_TRUE(
      HasEqual("  %r : Tensor = aten::relu_(%y)\n"
               "  return (%r)"));
  // %y is for aten::type_as alone.
  EXPECT_TRUE(
      HasEqual("  %z : Tensor = aten::type_as(%y, %w)\n"
               "  %r : Tensor = aten::relu_(%z)\n"
               "  return (%r)"));
  // The write comes first.
  EXPECT_TRUE(
      HasEqual("  %r : Tensor = aten::relu_(%y)\n"
               "  %z : Tensor = aten::type_as(%r, %w)\n"
               "  %t : Tensor = aten::add(%r, %z, %one)\n"
               "  return (%t)"));
}

}  // namespace
}  // namespace ns
