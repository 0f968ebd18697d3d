#include "ir/flatten/resolve_identity.h"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// Returns what the only result of the graph is resolved to; nothing when it
// stays open.
std::optional<bool> Resolved(absl::string_view text) {
  const auto graph = GraphOf(text);
  const bool changed = ResolveIdentity(*graph);
  graph->lint();
  const auto result = torch::jit::toIValue(graph->outputs()[0]);
  EXPECT_EQ(changed, result.has_value());
  return result ? std::optional<bool>(result->toBool()) : std::nullopt;
}

TEST(ResolveIdentityTest, AValueIsItself) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor):
  %same : bool = aten::__is__(%x, %x)
  return (%same))IR"),
            true);
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor):
  %other : bool = aten::__isnot__(%x, %x)
  return (%other))IR"),
            false);
}

TEST(ResolveIdentityTest, EqualOpsMakeOneTensor) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %uno : int = prim::Constant[value=1]()
  %r : Tensor = aten::dequantize(%x)
  %s : Tensor = aten::dequantize(%x)
  %a : Tensor = aten::unsqueeze(%r, %one)
  %b : Tensor = aten::unsqueeze(%s, %uno)
  %same : bool = aten::__is__(%a, %b)
  return (%same))IR"),
            true);
}

TEST(ResolveIdentityTest, BranchesMakeOneTensorWhenEachArmDoes) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %batched : bool):
  %one : int = prim::Constant[value=1]()
  %a : Tensor, %b : Tensor = prim::If(%batched)
    block0():
      -> (%x, %x)
    block1():
      %c : Tensor = aten::unsqueeze(%x, %one)
      %d : Tensor = aten::unsqueeze(%x, %one)
      -> (%c, %d)
  %same : bool = aten::__is__(%a, %b)
  return (%same))IR"),
            true);
}

TEST(ResolveIdentityTest, DifferentOpsMakeTwoTensors) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %y : Tensor):
  %a : Tensor = aten::relu(%x)
  %same : bool = aten::__is__(%a, %y)
  return (%same))IR"),
            false);
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %y : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::relu(%y)
  %same : bool = aten::__is__(%a, %b)
  return (%same))IR"),
            false);
}

TEST(ResolveIdentityTest, KeepsQuestionWhenBothAreInputs) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %y : Tensor):
  %same : bool = aten::__is__(%x, %y)
  return (%same))IR"),
            std::nullopt);
}

TEST(ResolveIdentityTest, KeepsQuestionWhenAnOpMayReturnItsInput) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %zero : int):
  %a : Tensor = aten::contiguous(%x, %zero)
  %same : bool = aten::__is__(%a, %x)
  return (%same))IR"),
            std::nullopt);
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::atleast_2d(%x)
  %same : bool = aten::__is__(%a, %x)
  return (%same))IR"),
            std::nullopt);
}

TEST(ResolveIdentityTest, KeepsQuestionWhenOneTensorIsWrittenTo) {
  EXPECT_NE(Resolved(R"IR(
graph(%x : Tensor, %one : int):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::neg(%x)
  %c : Tensor = aten::relu_(%b)
  %same : bool = aten::__is__(%a, %b)
  return (%same))IR"),
            true);
}

TEST(ResolveIdentityTest, DropoutInTrainingMakesTwoTensors) {
  EXPECT_NE(Resolved(R"IR(
graph(%x : Tensor):
  %p : float = prim::Constant[value=0.5]()
  %yes : bool = prim::Constant[value=1]()
  %a : Tensor = aten::dropout(%x, %p, %yes)
  %b : Tensor = aten::dropout(%x, %p, %yes)
  %same : bool = aten::__is__(%a, %b)
  return (%same))IR"),
            true);
}

// As of [x.transpose(1, 0) for x in (query, key)].
// Each arm hands on the value of the branch before: there are 2^60 ways.
TEST(ResolveIdentityTest, ManyBranchesInARowTakeNoLonger) {
  std::string text = R"IR(
graph(%x : Tensor, %p : bool):
  %one : int = prim::Constant[value=1]()
  %v0 : Tensor = aten::unsqueeze(%x, %one)
  %z : Tensor = aten::neg(%x)
)IR";
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&text, "  %v", i + 1, " : Tensor = prim::If(%p)\n",
                    "    block0():\n      -> (%v", i, ")\n",
                    "    block1():\n      -> (%v", i, ")\n");
  }
  EXPECT_EQ(
      Resolved(absl::StrCat(text, "  %same : bool = aten::__is__(%v60, %z)\n",
                            "  return (%same)")),
      false);
}

TEST(ResolveIdentityTest, FollowsComprehensions) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %y : Tensor, %zero : int, %one : int):
  %list : Tensor[] = prim::ListConstruct()
  %a : Tensor = aten::transpose(%x, %one, %zero)
  %1 : Tensor[] = aten::append(%list, %a)
  %b : Tensor = aten::transpose(%y, %one, %zero)
  %2 : Tensor[] = aten::append(%list, %b)
  %q : Tensor, %k : Tensor = prim::ListUnpack(%list)
  %same : bool = aten::__is__(%q, %k)
  return (%same))IR"),
            false);
}

TEST(ResolveIdentityTest, KeepsQuestionWhenTheListIsChangedElsewhere) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::neg(%x)
  %list : Tensor[] = prim::ListConstruct(%a, %y)
  %1 : Tensor[] = aten::_set_item(%list, %zero, %y)
  %q : Tensor, %k : Tensor = prim::ListUnpack(%list)
  %same : bool = aten::__is__(%q, %k)
  return (%same))IR"),
            std::nullopt);
}

TEST(ResolveIdentityTest, ATensorIsNotNone) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %given : bool = aten::__isnot__(%x, %none)
  return (%given))IR"),
            true);
}

TEST(ResolveIdentityTest, ABranchOfTensorsIsNotNone) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor, %y : Tensor, %c : bool):
  %none : NoneType = prim::Constant()
  %mask : Tensor? = prim::If(%c)
    block0():
      -> (%x)
    block1():
      -> (%y)
  %given : bool = aten::__isnot__(%mask, %none)
  return (%given))IR"),
            true);
}

TEST(ResolveIdentityTest, KeepsQuestionWhenAValueMayBeNone) {
  EXPECT_EQ(Resolved(R"IR(
graph(%x : Tensor?):
  %none : NoneType = prim::Constant()
  %given : bool = aten::__isnot__(%x, %none)
  return (%given))IR"),
            std::nullopt);
}

}  // namespace
}  // namespace ns
