#include "ir/text/check_graph_text.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/text/code_tokens.h"

namespace ns {
namespace {

// Returns the message of the error for the graph `text`, "" where there is
// none.
std::string Check(absl::string_view text) {
  return std::string(CheckGraphText(CodeTokens(text)).message());
}

std::string Twice(absl::string_view name) {
  return "defines %" + std::string(name) +
         " twice; give each value a name of its own";
}

constexpr char kGoesOn[] = "goes on after the graph's return; give one graph";

TEST(CheckGraphTextTest, AGraphIsFine) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %flag : bool):
  # A comment.
  %two : int = prim::Constant[value=2]()
  %a : Tensor, %b : Tensor = prim::If(%flag)
    block0():
      %c : Tensor = aten::add(%x, %two, %two)
      -> (%c, %x)
    block1():
      -> (%x, %x)
  prim::Print(%a)
  return (%a, %b))IR"),
            "");
}

TEST(CheckGraphTextTest, NothingMayFollowTheReturn) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor):
  return (%x)
  %y : Tensor = aten::relu(%x))IR"),
            kGoesOn);
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor):
  return (%x)

graph(%x : Tensor):
  return (%x))IR"),
            kGoesOn);
}

TEST(CheckGraphTextTest, CommentsAndBlankLinesMayFollowTheReturn) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor):
  return (%x)

# The end.
)IR"),
            "");
}

TEST(CheckGraphTextTest, ALineDefinesAValueOnce) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  %y : Tensor = aten::sin(%x)
  return (%y))IR"),
            Twice("y"));
}

TEST(CheckGraphTextTest, AnInputIsAValueToo) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor):
  %x : Tensor = aten::relu(%x)
  return (%x))IR"),
            Twice("x"));
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %x : Tensor):
  return (%x))IR"),
            Twice("x"));
}

TEST(CheckGraphTextTest, TheOutputsOfANodeHaveNamesOfTheirOwn) {
  EXPECT_EQ(Check(R"IR(
graph(%x : (Tensor, Tensor)):
  %y : Tensor, %y : Tensor = prim::TupleUnpack(%x)
  return (%y))IR"),
            Twice("y"));
}

TEST(CheckGraphTextTest, AnOutputAfterATypeWithBracketsIsSeen) {
  EXPECT_EQ(Check(R"IR(
graph(%x : (Tensor[], Tensor)):
  %y : Tensor[], %x : Tensor = prim::TupleUnpack(%x)
  return (%y))IR"),
            Twice("x"));
  EXPECT_EQ(Check(R"IR(
graph(%x : (Tensor, Tensor)):
  %y : Float(2, strides=[1]), %x : Tensor = prim::TupleUnpack(%x)
  return (%y))IR"),
            Twice("x"));
}

TEST(CheckGraphTextTest, AnInputAfterATypeWithBracketsIsSeen) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Dict(str, Tensor), %pair : (Tensor, int)[], %x : Tensor):
  return (%x))IR"),
            Twice("x"));
}

TEST(CheckGraphTextTest, InputsMayTakeSeveralLines) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor,
      %y : Tensor,
      %x : Tensor):
  return (%x))IR"),
            Twice("x"));
}

TEST(CheckGraphTextTest, ABlockMayNotDefineWhatIsVisibleAroundIt) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %flag : bool):
  %y : Tensor = aten::relu(%x)
  %z : Tensor = prim::If(%flag)
    block0():
      %y : Tensor = aten::sin(%x)
      -> (%y)
    block1():
      -> (%x)
  return (%z))IR"),
            Twice("y"));
}

TEST(CheckGraphTextTest, ABlockMayNotDefineTheOutputOfItsNode) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %flag : bool):
  %z : Tensor = prim::If(%flag)
    block0():
      %z : Tensor = aten::sin(%x)
      -> (%z)
    block1():
      -> (%x)
  return (%z))IR"),
            Twice("z"));
}

TEST(CheckGraphTextTest, AParameterOfABlockIsVisibleInTheBlock) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %n : int, %yes : bool):
  %z : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %v : Tensor):
      %v : Tensor = aten::sin(%v)
      -> (%yes, %v)
  return (%z))IR"),
            Twice("v"));
}

TEST(CheckGraphTextTest, AParameterOfABlockMayNotHideAValue) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %n : int, %yes : bool):
  %z : Tensor = prim::Loop(%n, %yes, %x)
    block0(%i : int, %x : Tensor):
      -> (%yes, %x)
  return (%z))IR"),
            Twice("x"));
}

TEST(CheckGraphTextTest, TwoBlocksMayUseTheSameNames) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %flag : bool, %n : int):
  %z : Tensor = prim::If(%flag)
    block0():
      %a : Tensor = aten::sin(%x)
      -> (%a)
    block1():
      %a : Tensor = aten::cos(%x)
      -> (%a)
  %u : Tensor = prim::Loop(%n, %flag, %z)
    block0(%i : int, %a : Tensor):
      -> (%flag, %a)
  %w : Tensor = prim::Loop(%n, %flag, %u)
    block0(%i : int, %a : Tensor):
      -> (%flag, %a)
  return (%w))IR"),
            "");
}

TEST(CheckGraphTextTest, ANameOfABlockMayBeUsedAfterIt) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %flag : bool):
  %z : Tensor = prim::If(%flag)
    block0():
      %a : Tensor = aten::sin(%x)
      -> (%a)
    block1():
      -> (%x)
  %a : Tensor = aten::relu(%z)
  return (%a))IR"),
            "");
}

TEST(CheckGraphTextTest, NamesMayHaveDots) {
  EXPECT_EQ(Check(R"IR(
graph(%x.1 : Tensor, %x.2 : Tensor):
  %x : Tensor = aten::relu(%x.1)
  return (%x))IR"),
            "");
  EXPECT_EQ(Check(R"IR(
graph(%x.1 : Tensor):
  %x.1 : Tensor = aten::relu(%x.1)
  return (%x.1))IR"),
            Twice("x.1"));
}

TEST(CheckGraphTextTest, AnOpWithoutOutputsDefinesNothing) {
  EXPECT_EQ(Check(R"IR(
graph(%x : Tensor, %y : Tensor):
  prim::Print(%x, %y)
  prim::Print(%x, %y)
  return (%x))IR"),
            "");
}

TEST(CheckGraphTextTest, MalformedTextIsLeftToTheParser) {
  EXPECT_EQ(Check(""), "");
  EXPECT_EQ(Check("%"), "");
  EXPECT_EQ(Check("graph(%x"), "");
  EXPECT_EQ(Check(")(% = %x,"), "");
}

}  // namespace
}  // namespace ns
