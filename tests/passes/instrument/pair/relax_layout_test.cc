#include "passes/instrument/pair/relax_layout.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A graph of %x and %c, where %c, a sigmoid, comes in another layout.
ModelGraph Relaxed(absl::string_view body, bool expected = true) {
  ModelGraph model = ModelOf(absl::StrCat(R"IR(
graph(%x : Tensor):
  %flat : int[] = prim::Constant[value=[-1]]()
  %two : int = prim::Constant[value=2]()
  %yes : bool = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %c : Tensor = aten::sigmoid(%x)
)IR",
                                          body));
  EXPECT_EQ(RelaxLayout(model.graph(),
                        {NodeOf(model.graph(), "aten::sigmoid")->output()}),
            expected);
  return model;
}

std::string TextOf(const ModelGraph& model) {
  return model.graph().toString(/*print_source_locations=*/false);
}

TEST(RelaxLayoutTest, ViewsOfOtherValuesStay) {
  ExpectShortIr(Relaxed(R"IR(
  %v : Tensor = aten::view(%x, %flat)
  %s : int[] = aten::stride(%x)
  %r : Tensor = aten::relu(%c)
  %w : Tensor = aten::view(%r, %flat)
  return (%v, %s, %w))IR")
                    .graph(),
                R"IR(
%1 = aten::sigmoid(%0)
%2 = aten::view(%0, [-1])
%3 = aten::stride(%0)
%4 = aten::relu(%1)
%5 = aten::reshape(%4, [-1])
return (%2, %3, %5))IR");
}

// The list has %c in the second trip only.
TEST(RelaxLayoutTest, FollowsListsThatLoopsFill) {
  EXPECT_THAT(TextOf(Relaxed(R"IR(
  %list : Tensor[] = prim::ListConstruct(%x)
  %y : Tensor = prim::Loop(%two, %yes, %x)
    block0(%i : int, %v : Tensor):
      %f : Tensor = aten::view(%v, %flat)
      %n : Tensor = aten::__getitem__(%list, %i)
      %a : Tensor[] = aten::append(%list, %c)
      -> (%yes, %n)
  return (%y))IR")),
              Not(HasSubstr("aten::view")));
}

TEST(RelaxLayoutTest, FollowsTheArmThatHasIt) {
  ExpectShortIr(Relaxed(R"IR(
  %z : Tensor, %o : Tensor = prim::If(%yes)
    block0():
      -> (%x, %x)
    block1():
      -> (%c, %x)
  %g : Tensor = aten::view(%z, %flat)
  %h : Tensor = aten::view(%o, %flat)
  return (%g, %h))IR")
                    .graph(),
                R"IR(
%1 = aten::sigmoid(%0)
%2, %3 = prim::If(True)
  then:
    -> (%0, %0)
  else:
    -> (%1, %0)
%4 = aten::reshape(%2, [-1])
%5 = aten::view(%3, [-1])
return (%4, %5))IR");
}

TEST(RelaxLayoutTest, RefusesOtherOpsOnLayouts) {
  for (const char* op :
       {"Tensor = aten::as_strided(%r, %flat, %flat, %none)",
        "int[] = aten::stride(%r)", "bool = aten::is_contiguous(%r)",
        "Tensor = aten::view_as(%x, %r)",
        "Tensor = aten::resize_(%r, %flat, %none)"}) {
    SCOPED_TRACE(op);
    EXPECT_THAT(
        TextOf(Relaxed(absl::StrCat("  %r : Tensor = aten::neg(%c)\n"
                                    "  %v : Tensor = aten::view(%r, %flat)\n"
                                    "  %y : ",
                                    op, "\n  return (%v, %y)"),
                       /*expected=*/false)),
        HasSubstr("aten::view("));
  }
}

}  // namespace
}  // namespace ns
