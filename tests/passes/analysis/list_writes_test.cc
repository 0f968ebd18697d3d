#include "passes/analysis/list_writes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

// Whether `op` on a list of tensors, `%all`, counts as a write to it.
bool Writes(const std::string& op, const std::string& line) {
  const std::shared_ptr<torch::jit::Graph> graph =
      GraphOf("graph(%a : Tensor, %all : Tensor[], %i : int):\n  " + line +
              "\n  return (%a)");
  return WritesToList(*NodeOf(*graph, op));
}

// Whether `%all` is private, with `lines` behind it.
bool IsPrivate(const std::string& lines) {
  const NamedGraph graph(
      "graph(%a : Tensor, %i : int, %outer : Tensor[][], "
      "%dict : Dict(int, Tensor[])):\n"
      "  %all : Tensor[] = prim::ListConstruct(%a)\n" +
      lines + "  return (%a)");
  return IsPrivateList(*graph.Named("all"));
}

TEST(WritesToListTest, OfOpsThatChangeTheirFirstInput) {
  EXPECT_TRUE(Writes("aten::append", "%s : Tensor[] = aten::append(%all, %a)"));
  EXPECT_TRUE(Writes("aten::_set_item",
                     "%s : Tensor[] = aten::_set_item(%all, %i, %a)"));
  EXPECT_TRUE(Writes("aten::pop", "%s : Tensor = aten::pop(%all, %i)"));
  // `all += all` and `all *= i`.
  EXPECT_TRUE(Writes("aten::add_", "%s : Tensor[] = aten::add_(%all, %all)"));
  EXPECT_TRUE(Writes("aten::mul_", "%s : Tensor[] = aten::mul_(%all, %i)"));
}

TEST(WritesToListTest, NotOfOpsThatReadListsOrWriteToTensors) {
  EXPECT_FALSE(Writes("aten::add", "%s : Tensor[] = aten::add(%all, %all)"));
  EXPECT_FALSE(Writes("aten::cat", "%s : Tensor = aten::cat(%all, %i)"));
  EXPECT_FALSE(Writes("aten::add_", "%s : Tensor = aten::add_(%a, %a, %i)"));
}

TEST(IsPrivateListTest, WhereAllUsersReadOrChangeIt) {
  EXPECT_TRUE(IsPrivate(""));
  EXPECT_TRUE(IsPrivate(R"IR(
  %s : Tensor[] = aten::append(%all, %a)
  %p : Tensor = aten::pop(%all, %i)
  %y : Tensor = aten::cat(%all, %i)
  %copy : Tensor[] = aten::list(%all)
  %x : Tensor = prim::ListUnpack(%all)
)IR"));
  // Elements go to another list, and not the list itself.
  EXPECT_TRUE(IsPrivate(R"IR(
  %other : Tensor[] = prim::ListConstruct(%a)
  aten::extend(%other, %all)
  %t : Tensor[] = aten::add_(%other, %all)
)IR"));
}

TEST(IsPrivateListTest, NotWhereSomethingElseHoldsIt) {
  EXPECT_FALSE(IsPrivate("  %s : Tensor[][] = aten::append(%outer, %all)\n"));
  EXPECT_FALSE(
      IsPrivate("  %s : Tensor[][] = aten::_set_item(%outer, %i, %all)\n"));
  EXPECT_FALSE(IsPrivate("  aten::_set_item(%dict, %i, %all)\n"));
  EXPECT_FALSE(IsPrivate("  aten::insert(%outer, %i, %all)\n"));
  EXPECT_FALSE(IsPrivate("  %t : (Tensor[]) = prim::TupleConstruct(%all)\n"));
  EXPECT_FALSE(IsPrivate("  %l : Tensor[][] = prim::ListConstruct(%all)\n"));
}

TEST(IsPrivateListTest, NotWhereAnotherValueIsTheSameList) {
  EXPECT_FALSE(IsPrivate(R"IR(
  %s : Tensor[] = aten::append(%all, %a)
  %t : Tensor[] = aten::append(%s, %a)
)IR"));
  EXPECT_FALSE(IsPrivate("  %u : Tensor[] = prim::unchecked_cast(%all)\n"));
}

}  // namespace
}  // namespace ns
