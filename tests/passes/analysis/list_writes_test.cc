#include "passes/analysis/list_writes.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
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

// The names of the elements of `%all` where `lines` concatenate it; "unknown"
// where the graph does not tell.
std::string Elements(const std::string& lines) {
  const NamedGraph graph(
      "graph(%a : Tensor, %b : Tensor, %i : int, %yes : bool):\n"
      "  %zero : int = prim::Constant[value=0]()\n"
      "  %last : int = prim::Constant[value=-1]()\n"
      "  %all : Tensor[] = prim::ListConstruct(%a)\n" +
      lines + "  return (%a)");
  const std::optional<std::vector<torch::jit::Value*>> elements =
      ElementsBefore(*graph.Named("all"), *NodeOf(*graph, "aten::cat"));
  if (!elements) {
    return "unknown";
  }
  return absl::StrJoin(*elements, " ",
                       [&](std::string* out, const torch::jit::Value* element) {
                         out->append(element == graph.Named("a") ? "a" : "b");
                       });
}

TEST(WritesToContainersAloneTest, ListsAndDictsAreWrittenButNoTensor) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %list : Tensor[], %dict : Dict(str, Tensor), %key : str, %n : int):
  %append : Tensor[] = aten::append(%list, %x)
  %pop : Tensor = aten::pop(%dict, %key)
  %write : Tensor = aten::relu_(%x)
  %read : Tensor = aten::__getitem__(%dict, %key)
  return (%read))IR");
  EXPECT_TRUE(WritesToContainersAlone(*graph.Named("append")->node()));
  EXPECT_TRUE(WritesToContainersAlone(*graph.Named("pop")->node()));
  EXPECT_FALSE(WritesToContainersAlone(*graph.Named("write")->node()));
  EXPECT_FALSE(WritesToContainersAlone(*graph.Named("read")->node()));
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

TEST(ElementsBeforeTest, AreInOrderWhatTheListHoldsThere) {
  EXPECT_EQ(Elements("  %c : Tensor = aten::cat(%all, %zero)\n"), "a");
  EXPECT_EQ(Elements(R"IR(
  %s : Tensor[] = aten::append(%all, %b)
  %t : Tensor[] = aten::append(%all, %a)
  %c : Tensor = aten::cat(%all, %zero)
  %u : Tensor[] = aten::append(%all, %a)
)IR"),
            "a b a");
}

TEST(ElementsBeforeTest, IndicesMayBeCountedFromTheEnd) {
  EXPECT_EQ(Elements(R"IR(
  aten::insert(%all, %zero, %b)
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "b a");
  EXPECT_EQ(Elements(R"IR(
  %s : Tensor[] = aten::append(%all, %a)
  %t : Tensor[] = aten::_set_item(%all, %last, %b)
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "a b");
}

TEST(ElementsBeforeTest, ListsAreExtendedByWhatTheOtherHoldsThen) {
  EXPECT_EQ(Elements(R"IR(
  %other : Tensor[] = prim::ListConstruct(%b)
  aten::extend(%all, %other)
  %s : Tensor[] = aten::append(%other, %b)
  %t : Tensor[] = aten::add_(%all, %all)
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "a b a b");
  EXPECT_EQ(Elements(R"IR(
  %other : Tensor[] = prim::ListConstruct(%b)
  aten::extend(%other, %all)
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "a");
}

TEST(ElementsBeforeTest, AreUnknownWhereOnlyARunTells) {
  EXPECT_EQ(Elements(R"IR(
  %s : Tensor[] = aten::_set_item(%all, %i, %b)
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "unknown");
  EXPECT_EQ(Elements(R"IR(
  prim::If(%yes)
    block0():
      %s : Tensor[] = aten::append(%all, %b)
      -> ()
    block1():
      -> ()
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "unknown");
  EXPECT_EQ(Elements(R"IR(
  prim::Loop(%i, %yes)
    block0(%trip : int):
      %c : Tensor = aten::cat(%all, %zero)
      %s : Tensor[] = aten::append(%all, %c)
      -> (%yes)
)IR"),
            "unknown");
}

TEST(ElementsBeforeTest, AreUnknownBehindOtherWritesAndOfSharedLists) {
  EXPECT_EQ(Elements(R"IR(
  %outer : Tensor[][] = prim::ListConstruct(%all)
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "unknown");
  EXPECT_EQ(Elements(R"IR(
  %p : Tensor = aten::pop(%all, %zero)
  %c : Tensor = aten::cat(%all, %zero)
)IR"),
            "unknown");
}

}  // namespace
}  // namespace ns
