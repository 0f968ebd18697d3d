#include "ir/graph/verify_node.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// Returns what is wrong with the node that `lines` define, "" for nothing.
std::string MessageFor(const std::string& lines) {
  const auto graph = GraphOf(absl::StrCat(
      "graph(%x : Tensor, %l : Tensor[], %t : (Tensor, Tensor), %n : int, "
      "%p : bool):\n",
      lines, "  return (%x)\n"));
  const absl::Status status = VerifyNode(**graph->nodes().begin());
  return std::string(status.message());
}

constexpr char kLoop[] = R"(  %y : Tensor = prim::Loop(%n, %p, %x)
    block0(%i : int, %z : Tensor):
      -> (%p, %z)
)";

TEST(VerifyNodeTest, AcceptsWhatLibTorchRuns) {
  for (const char* lines :
       {"  %y : Tensor = aten::relu(%x)\n",
        "  %y : Tensor, %z : Tensor = aten::max(%x, %n, %p)\n",
        "  %y : int = prim::Constant[value=1]()\n",
        "  %y : int? = prim::Constant()\n",
        "  %y : Tensor, %z : Tensor = prim::TupleUnpack(%t)\n",
        "  %y : Tensor, %z : Tensor = prim::ListUnpack(%l)\n",
        "  %y : Tensor[] = prim::ListConstruct(%x, %x)\n",
        "  %y : (Tensor, int) = prim::TupleConstruct(%x, %n)\n",
        "  %y : Dict(int, Tensor) = prim::DictConstruct(%n, %x)\n",
        "  %y : int = prim::dtype(%x)\n", "  prim::Print(%x, %n)\n", kLoop}) {
    EXPECT_EQ(MessageFor(lines), "") << lines;
  }
}

TEST(VerifyNodeTest, ControlFlowHasItsBlocks) {
  EXPECT_THAT(MessageFor("  %y : Tensor = prim::Loop(%x, %x)\n"),
              HasSubstr("has 0 blocks and needs 1"));
  EXPECT_THAT(MessageFor("  %y : Tensor = prim::If(%p)\n"),
              HasSubstr("has 0 blocks and needs 2"));
  EXPECT_THAT(MessageFor("  %y : Tensor = aten::relu(%x)\n"
                         "    block0():\n      -> (%x)\n"),
              HasSubstr("has 1 blocks and needs 0"));
  const std::string loop = kLoop;
  for (const auto& [from, to] :
       {std::pair("-> (%p, %z)", "-> (%p)"), std::pair(", %z : Tensor", ""),
        std::pair("(%n, %p, %x)", "(%n, %p)"),
        std::pair("(%n, %p", "(%p, %p")}) {
    std::string bad = loop;
    bad.replace(bad.find(from), std::string(from).size(), to);
    if (absl::StrContains(bad, "%z)") && !absl::StrContains(bad, "%z :")) {
      bad.replace(bad.find("%z)"), 3, "%x)");
    }
    EXPECT_NE(MessageFor(bad), "") << bad;
  }
}

TEST(VerifyNodeTest, TuplesAndListsFitWhatTheyHold) {
  EXPECT_THAT(MessageFor("  %y : Tensor = prim::TupleUnpack(%x)\n"),
              HasSubstr("needs a tuple"));
  EXPECT_THAT(MessageFor("  %a : Tensor, %b : Tensor, %c : Tensor = "
                         "prim::TupleUnpack(%t)\n"),
              HasSubstr("unpacks 2 values into 3"));
  for (const char* lines :
       {"  %y : Tensor = prim::TupleIndex(%x, %n)\n",
        "  %y : (Tensor, int) = prim::TupleConstruct(%x)\n",
        "  %y : Tensor = prim::ListConstruct(%x)\n",
        "  %y : Tensor = prim::ListUnpack(%x)\n",
        "  %y : Dict(int, Tensor) = prim::DictConstruct(%n)\n"}) {
    EXPECT_NE(MessageFor(lines), "") << lines;
  }
}

TEST(VerifyNodeTest, NodesHaveTheirInputsOutputsAndAttributes) {
  for (const char* lines :
       {"  %y : Tensor = prim::CallFunction()\n",
        "  %y : Tensor = prim::CallMethod[name=\"f\"](%x)\n",
        "  %y : Tensor = prim::GetAttr(%x)\n",
        "  %y : Tensor = prim::GetAttr[name=\"f\"](%x)\n",
        "  prim::SetAttr[name=\"f\"](%x, %x)\n",
        "  %y : Tensor = prim::CreateObject()\n",
        "  %y : Tensor = prim::fork(%x)\n",
        "  %y : bool = prim::isinstance(%x)\n",
        "  %y : int = prim::Constant[value=\"x\"]()\n",
        "  %y : int = prim::Constant()\n", "  aten::relu(%x)\n",
        "  %y : Tensor = aten::max(%x, %n, %p)\n"}) {
    EXPECT_NE(MessageFor(lines), "") << lines;
  }
}

TEST(VerifyNodeTest, RefusesWhatNoGraphHolds) {
  for (const char* op : {"Return", "Param", "Closure", "NoSuchThing"}) {
    EXPECT_THAT(
        MessageFor(absl::StrCat("  %y : Tensor = prim::", op, "(%x)\n")),
        HasSubstr("is no operator"))
        << op;
  }
}

}  // namespace
}  // namespace ns
