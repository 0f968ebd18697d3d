#include "ir/flatten/drop_exception_checks.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

void ExpectDropped(absl::string_view before, absl::string_view after) {
  const auto graph = GraphOf(before);
  DropExceptionChecks(*graph);
  graph->lint();
  ExpectIr(graph, after);
}

void ExpectUntouched(absl::string_view text) { ExpectDropped(text, text); }

TEST(DropExceptionChecksTest, DropsCheckThatRaisesInFirstArm) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %bad : bool, %message : str, %kind : str):
  prim::If(%bad)
    block0():
      prim::RaiseException(%message, %kind)
      -> ()
    block1():
      -> ()
  %y : Tensor = aten::relu(%x)
  return (%y))IR",
                R"IR(
graph(%x : Tensor, %bad : bool, %message : str, %kind : str):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
}

TEST(DropExceptionChecksTest, KeepsWhatTheOtherArmComputes) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %good : bool, %message : str, %kind : str):
  %y : Tensor = prim::If(%good)
    block0():
      %a : Tensor = aten::relu(%x)
      %b : Tensor = aten::tanh(%a)
      -> (%b)
    block1():
      prim::RaiseException(%message, %kind)
      -> (%x)
  %z : Tensor = aten::neg(%y)
  return (%z))IR",
                R"IR(
graph(%x : Tensor, %good : bool, %message : str, %kind : str):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::tanh(%a)
  %z : Tensor = aten::neg(%b)
  return (%z))IR");
}

TEST(DropExceptionChecksTest, DropsChecksThatShareACondition) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %bad : bool, %message : str, %kind : str):
  prim::If(%bad)
    block0():
      prim::RaiseException(%message, %kind)
      -> ()
    block1():
      -> ()
  prim::If(%bad)
    block0():
      prim::RaiseException(%message, %kind)
      -> ()
    block1():
      -> ()
  return (%x))IR",
                R"IR(
graph(%x : Tensor, %bad : bool, %message : str, %kind : str):
  return (%x))IR");
}

TEST(DropExceptionChecksTest, DropsNestedChecks) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %n : int, %go : bool, %bad : bool, %message : str, %kind : str):
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %v : Tensor):
      prim::If(%bad)
        block0():
          -> ()
        block1():
          prim::RaiseException(%message, %kind)
          -> ()
      %w : Tensor = aten::relu(%v)
      -> (%go, %w)
  return (%y))IR",
                R"IR(
graph(%x : Tensor, %n : int, %go : bool, %bad : bool, %message : str, %kind : str):
  %y : Tensor = prim::Loop(%n, %go, %x)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::relu(%v)
      -> (%go, %w)
  return (%y))IR");
}

TEST(DropExceptionChecksTest, DropsCheckInsideTheArmThatStays) {
  ExpectDropped(R"IR(
graph(%x : Tensor, %p : bool, %q : bool, %message : str, %kind : str):
  %y : Tensor = prim::If(%p)
    block0():
      prim::RaiseException(%message, %kind)
      -> (%x)
    block1():
      %z : Tensor = prim::If(%q)
        block0():
          %r : Tensor = aten::relu(%x)
          -> (%r)
        block1():
          prim::RaiseException(%message, %kind)
          -> (%x)
      -> (%z)
  return (%y))IR",
                R"IR(
graph(%x : Tensor, %p : bool, %q : bool, %message : str, %kind : str):
  %r : Tensor = aten::relu(%x)
  return (%r))IR");
}

TEST(DropExceptionChecksTest, DropsIfWhoseArmRaisesInBothItsArms) {
  // What is nested raises whichever way it goes.
  ExpectDropped(R"IR(
graph(%x : Tensor, %p : bool, %q : bool, %message : str, %kind : str):
  prim::If(%p)
    block0():
      prim::If(%q)
        block0():
          prim::RaiseException(%message, %kind)
          -> ()
        block1():
          prim::RaiseException(%message, %kind)
          -> ()
      -> ()
    block1():
      -> ()
  return (%x))IR",
                R"IR(
graph(%x : Tensor, %p : bool, %q : bool, %message : str, %kind : str):
  return (%x))IR");
}

TEST(DropExceptionChecksTest, KeepsIfWhenNoArmRaises) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %flag : bool):
  %y : Tensor = prim::If(%flag)
    block0():
      %a : Tensor = aten::relu(%x)
      -> (%a)
    block1():
      -> (%x)
  return (%y))IR");
}

TEST(DropExceptionChecksTest, KeepsIfWhenBothArmsRaise) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %flag : bool, %message : str, %kind : str):
  prim::If(%flag)
    block0():
      prim::RaiseException(%message, %kind)
      -> ()
    block1():
      prim::RaiseException(%message, %kind)
      -> ()
  return (%x))IR");
}

TEST(DropExceptionChecksTest, KeepsIfWhenAnArmRaisesOnlySometimes) {
  ExpectUntouched(R"IR(
graph(%x : Tensor, %p : bool, %q : bool, %n : int, %message : str, %kind : str):
  %y : Tensor = prim::If(%p)
    block0():
      prim::Loop(%n, %q)
        block0(%i : int):
          prim::RaiseException(%message, %kind)
          -> (%q)
      -> (%x)
    block1():
      %r : Tensor = aten::relu(%x)
      -> (%r)
  return (%y))IR");
}

}  // namespace
}  // namespace ns
