#include "ir/aliasing/tensor_writes.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

TEST(TensorWritesTest, ViewsAreTheSameTensor) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::cos(%x)
  %v : Tensor = aten::select(%a, %n, %n)
  %w : Tensor = aten::mul_(%v, %s)
  return (%a, %b))IR");
  const TensorWrites writes(*graph);
  torch::jit::Node* mul = graph.Named("w")->node();
  EXPECT_TRUE(writes.MayWrite(mul, graph.Named("a")));
  EXPECT_TRUE(writes.HasWriters(graph.Named("a")));
  EXPECT_FALSE(writes.MayWrite(mul, graph.Named("b")));
  EXPECT_FALSE(writes.HasWriters(graph.Named("b")));
  EXPECT_FALSE(writes.MayWrite(graph.Named("b")->node(), graph.Named("a")));
}

// Whether the types are equal is not known.
TEST(TensorWritesTest, AnOpMayReturnItsInput) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::type_as(%a, %x)
  %c : Tensor = aten::cos(%a)
  %w : Tensor = aten::mul_(%b, %s)
  return (%a, %c))IR");
  const TensorWrites writes(*graph);
  EXPECT_TRUE(writes.HasWriters(graph.Named("a")));
  EXPECT_TRUE(writes.MayWrite(graph.Named("w")->node(), graph.Named("a")));
  EXPECT_FALSE(writes.HasWriters(graph.Named("c")));
}

// LibTorch's analysis takes all of them for one tensor.
TEST(TensorWritesTest, WhatAContainerOrTheCallerHoldsIsNotOneTensor) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %n : Tensor, %s : float, %key : str):
  %w : Tensor = aten::mul_(%n, %s)
  %a : Tensor = aten::sin(%x)
  %all : Dict(str, Tensor) = prim::DictConstruct(%key, %a)
  %b : Tensor = aten::sin(%x)
  %l : Tensor[] = prim::ListConstruct(%b)
  %c : Tensor = aten::__getitem__(%all, %key)
  %u : Tensor = aten::mul_(%c, %s)
  return (%all, %l))IR");
  const TensorWrites writes(*graph);
  EXPECT_TRUE(writes.HasWriters(graph.Named("n")));
  EXPECT_TRUE(writes.MayWrite(graph.Named("u")->node(), graph.Named("a")));
  EXPECT_FALSE(writes.MayWrite(graph.Named("w")->node(), graph.Named("a")));
  EXPECT_FALSE(writes.HasWriters(graph.Named("x")));
  EXPECT_FALSE(writes.HasWriters(graph.Named("b")));
}

// %a is written on the second trip, %b on the third, %c never.
TEST(TensorWritesTest, FollowsWhatLoopsCarry) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::sin(%x)
  %c : Tensor = aten::sin(%x)
  %d : Tensor = aten::sin(%x)
  %e : Tensor = aten::sin(%x)
  %y : Tensor, %z : Tensor, %u : Tensor = prim::Loop(%n, %p, %d, %e, %c)
    block0(%i : int, %v : Tensor, %k : Tensor, %l : Tensor):
      %w : Tensor = aten::mul_(%v, %s)
      %t : Tensor = prim::If(%p)
        block0():
          -> (%a)
        block1():
          -> (%k)
      -> (%p, %t, %b, %l)
  return (%y, %z, %u))IR");
  const TensorWrites writes(*graph);
  torch::jit::Node* mul = graph.Named("w")->node();
  for (const char* written : {"a", "b", "d", "e"}) {
    EXPECT_TRUE(writes.MayWrite(mul, graph.Named(written))) << written;
    EXPECT_TRUE(writes.HasWriters(graph.Named(written))) << written;
  }
  EXPECT_FALSE(writes.MayWrite(mul, graph.Named("c")));
  EXPECT_FALSE(writes.HasWriters(graph.Named("c")));
}

// %a is written on the second trip, %b never.
TEST(TensorWritesTest, FollowsOptionalTensorsThatLoopsCarry) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::sin(%x)
  %none : NoneType = prim::Constant()
  %y : Tensor? = prim::Loop(%n, %p, %none)
    block0(%i : int, %v : Tensor?):
      %first : bool = aten::__is__(%v, %none)
      prim::If(%first)
        block0():
          -> ()
        block1():
          %t : Tensor = prim::unchecked_cast(%v)
          %w : Tensor = aten::mul_(%t, %s)
          -> ()
      -> (%p, %a)
  return (%y, %b))IR");
  const TensorWrites writes(*graph);
  EXPECT_TRUE(writes.MayWrite(graph.Named("w")->node(), graph.Named("a")));
  EXPECT_TRUE(writes.HasWriters(graph.Named("a")));
  EXPECT_FALSE(writes.HasWriters(graph.Named("b")));
}

// %a is written on the first trip, %b from the second on; %c behind a loop that
// made no trip.
TEST(TensorWritesTest, FollowsListsThatLoopsCarry) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %zero : int = prim::Constant[value=0]()
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::sin(%x)
  %c : Tensor = aten::sin(%x)
  %la : Tensor[] = prim::ListConstruct(%a)
  %lc : Tensor[] = prim::ListConstruct(%c)
  %y : Tensor[], %z : Tensor[] = prim::Loop(%n, %p, %la, %lc)
    block0(%i : int, %v : Tensor[], %k : Tensor[]):
      %e : Tensor = aten::__getitem__(%v, %zero)
      %w : Tensor = aten::mul_(%e, %s)
      %lb : Tensor[] = prim::ListConstruct(%b)
      -> (%p, %lb, %lb)
  %f : Tensor = aten::__getitem__(%z, %zero)
  %g : Tensor = aten::mul_(%f, %s)
  return (%y, %z))IR");
  const TensorWrites writes(*graph);
  torch::jit::Node* inside = graph.Named("w")->node();
  torch::jit::Node* behind = graph.Named("g")->node();
  EXPECT_TRUE(writes.MayWrite(inside, graph.Named("a")));
  EXPECT_TRUE(writes.MayWrite(inside, graph.Named("b")));
  EXPECT_TRUE(writes.MayWrite(behind, graph.Named("b")));
  EXPECT_TRUE(writes.MayWrite(behind, graph.Named("c")));
  for (const char* written : {"a", "b", "c"}) {
    EXPECT_TRUE(writes.HasWriters(graph.Named(written))) << written;
  }
}

TEST(TensorWritesTest, FollowsLoopsInLoops) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %a : Tensor = aten::sin(%x)
  %d : Tensor = aten::sin(%x)
  %y : Tensor = prim::Loop(%n, %p, %d)
    block0(%i : int, %v : Tensor):
      %z : Tensor = prim::Loop(%n, %p, %v)
        block0(%j : int, %u : Tensor):
          %w : Tensor = aten::mul_(%u, %s)
          -> (%p, %u)
      -> (%p, %a)
  return (%y))IR");
  const TensorWrites writes(*graph);
  EXPECT_TRUE(writes.MayWrite(graph.Named("w")->node(), graph.Named("a")));
}

TEST(TensorWritesTest, FollowsLoopsWithoutATrip) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::sin(%x)
  %y : Tensor, %z : Tensor = prim::Loop(%n, %p, %a, %b)
    block0(%i : int, %v : Tensor, %u : Tensor):
      %c : Tensor = aten::cos(%v)
      %d : Tensor = aten::cos(%u)
      -> (%p, %c, %d)
  %w : Tensor = aten::mul_(%y, %s)
  return (%w, %z))IR");
  const TensorWrites writes(*graph);
  torch::jit::Node* mul = graph.Named("w")->node();
  EXPECT_TRUE(writes.MayWrite(mul, graph.Named("a")));
  EXPECT_FALSE(writes.MayWrite(mul, graph.Named("b")));
  EXPECT_TRUE(writes.MayWrite(mul, graph.Named("c")));
  EXPECT_FALSE(writes.MayWrite(mul, graph.Named("d")));
}

}  // namespace
}  // namespace ns
