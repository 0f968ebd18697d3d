#include "ir/aliasing/written_in_place.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the names of the inputs of the graph `text` that are written in
// place.
std::vector<std::string> Written(absl::string_view text) {
  const auto graph = GraphOf(text);
  std::vector<std::string> names;
  for (const torch::jit::Value* input : graph->inputs()) {
    if (IsWrittenInPlace(*input)) {
      names.push_back(input->debugName());
    }
  }
  return names;
}

TEST(IsWrittenInPlaceTest, FollowsViews) {
  const auto graph = GraphOf(R"IR(
graph(%read : Tensor, %written : Tensor, %viewed : Tensor, %zero : int, %one : int):
  %a : Tensor = aten::relu(%read)
  %b : Tensor = aten::relu_(%written)
  %c : Tensor = aten::select(%viewed, %zero, %zero)
  %d : Tensor = aten::add_(%c, %read, %one)
  return (%a, %b, %d))IR");
  EXPECT_FALSE(IsWrittenInPlace(*graph->inputs()[0]));
  EXPECT_TRUE(IsWrittenInPlace(*graph->inputs()[1]));
  EXPECT_TRUE(IsWrittenInPlace(*graph->inputs()[2]));
}

TEST(IsWrittenInPlaceTest, KnowsRelu6InPlace) {
  const auto graph = GraphOf(R"IR(
graph(%written : Tensor, %read : Tensor):
  %true : bool = prim::Constant[value=1]()
  %false : bool = prim::Constant[value=0]()
  %a : Tensor = quantized::relu6(%written, %true)
  %b : Tensor = quantized::relu6(%read, %false)
  return (%a, %b))IR");
  EXPECT_TRUE(IsWrittenInPlace(*graph->inputs()[0]));
  EXPECT_FALSE(IsWrittenInPlace(*graph->inputs()[1]));
}

TEST(IsWrittenInPlaceTest, FollowsArmsOfAnIf) {
  EXPECT_THAT(Written(R"IR(
graph(%a : Tensor, %c : Tensor, %read : Tensor, %x : Tensor, %flag : bool, %one : int):
  %b : Tensor, %other : Tensor = prim::If(%flag)
    block0():
      -> (%a, %read)
    block1():
      -> (%c, %read)
  %1 : Tensor = aten::add_(%b, %x, %one)
  %y : Tensor = aten::relu(%other)
  return (%y))IR"),
              ElementsAre("a", "c"));
}

TEST(IsWrittenInPlaceTest, FollowsWhatLoopsCarry) {
  EXPECT_THAT(Written(R"IR(
graph(%first : Tensor, %later : Tensor, %behind : Tensor, %read : Tensor, %n : int):
  %true : bool = prim::Constant[value=1]()
  %y : Tensor, %z : Tensor, %r : Tensor = prim::Loop(%n, %true, %first, %behind, %read)
    block0(%i : int, %v : Tensor, %w : Tensor, %s : Tensor):
      %1 : Tensor = aten::relu_(%v)
      -> (%true, %later, %w, %s)
  %2 : Tensor = aten::relu_(%z)
  return (%r))IR"),
              ElementsAre("first", "later", "behind"));
}

TEST(IsWrittenInPlaceTest, FollowsWhatIsReadFromContainers) {
  EXPECT_THAT(Written(R"IR(
graph(%a : Tensor, %b : Tensor, %c : Tensor, %d : Tensor, %i : int, %key : str):
  %empty : Tensor[] = prim::ListConstruct()
  %1 : Tensor[] = aten::append(%empty, %a)
  %list : Tensor[] = prim::ListConstruct(%b)
  aten::extend(%list, %empty)
  %3 : Tensor = aten::__getitem__(%list, %i)
  %4 : Tensor = aten::relu_(%3)
  %pair : (Tensor, int) = prim::TupleConstruct(%c, %i)
  %5 : Tensor, %6 : int = prim::TupleUnpack(%pair)
  %7 : Tensor = aten::relu_(%5)
  %dict : Dict(str, Tensor) = prim::DictConstruct(%key, %d)
  %8 : Tensor = aten::__getitem__(%dict, %key)
  %9 : Tensor = aten::relu_(%8)
  return (%9))IR"),
              ElementsAre("a", "b", "c", "d"));
}

TEST(IsWrittenInPlaceTest, WhatIsMadeOfAListIsAnotherTensor) {
  EXPECT_THAT(Written(R"IR(
graph(%a : Tensor, %x : Tensor, %dim : int):
  %list : Tensor[] = prim::ListConstruct(%a)
  %1 : Tensor[] = aten::append(%list, %x)
  %y : Tensor = aten::cat(%list, %dim)
  %2 : Tensor = aten::relu_(%y)
  return (%y))IR"),
              IsEmpty());
}

TEST(IsWrittenInPlaceTest, AListIsWrittenByWhatChangesIt) {
  EXPECT_THAT(Written(R"IR(
graph(%changed : Tensor[], %read : Tensor[], %x : Tensor, %dim : int):
  %1 : Tensor[] = aten::append(%changed, %x)
  %y : Tensor = aten::cat(%read, %dim)
  return (%y))IR"),
              ElementsAre("changed"));
}

}  // namespace
}  // namespace ns
