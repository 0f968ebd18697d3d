#include "ir/aliasing/memory_regions.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

TEST(MemoryRegionsTest, FillingAContainerWritesToTheContainerAlone) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %key : str):
  %all : Dict(str, Tensor) = prim::DictConstruct()
  %a : Tensor = aten::sin(%x)
  aten::_set_item(%all, %key, %a)
  %b : Tensor = aten::cos(%a)
  aten::_set_item(%all, %key, %b)
  return (%all))IR");
  const MemoryRegions regions(*graph);
  EXPECT_TRUE(regions.is_complete());
  EXPECT_TRUE(regions.HasWriters(graph.Named("all")));
  EXPECT_FALSE(regions.HasWriters(graph.Named("a")));
  EXPECT_FALSE(regions.HasWriters(graph.Named("b")));
}

TEST(MemoryRegionsTest, WhatIsReadFromAContainerIsWhatWasPutThere) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %zero : int, %key : str):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::sin(%x)
  %c : Tensor = aten::sin(%x)
  %d : Tensor = aten::sin(%x)
  %list : Tensor[] = prim::ListConstruct(%a)
  %1 : Tensor[] = aten::append(%list, %b)
  %other : Tensor[] = prim::ListConstruct(%c)
  %dict : Dict(str, Tensor) = prim::DictConstruct(%key, %d)
  %y : Tensor = aten::__getitem__(%list, %zero)
  %w : Tensor = aten::mul_(%y, %s)
  return (%list, %other, %dict))IR");
  const MemoryRegions regions(*graph);
  EXPECT_TRUE(regions.is_complete());
  const torch::jit::Node* mul = graph.Named("w")->node();
  EXPECT_TRUE(regions.MayWrite(mul, graph.Named("a")));
  EXPECT_TRUE(regions.MayWrite(mul, graph.Named("b")));
  EXPECT_FALSE(regions.MayWrite(mul, graph.Named("list")));
  EXPECT_FALSE(regions.HasWriters(graph.Named("c")));
  EXPECT_FALSE(regions.HasWriters(graph.Named("d")));
}

TEST(MemoryRegionsTest, ListsOfTheValuesAndItemsOfADictHoldThem) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %zero : int, %key : str):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::sin(%x)
  %first : Dict(str, Tensor) = prim::DictConstruct(%key, %a)
  %second : Dict(str, Tensor) = prim::DictConstruct(%key, %b)
  %values : Tensor[] = aten::values(%first)
  %v : Tensor = aten::__getitem__(%values, %zero)
  %w : Tensor = aten::mul_(%v, %s)
  %items : (str, Tensor)[] = aten::items(%second)
  %item : (str, Tensor) = aten::__getitem__(%items, %zero)
  %k : str, %t : Tensor = prim::TupleUnpack(%item)
  %u : Tensor = aten::add_(%t, %s, %zero)
  return (%first, %second))IR");
  const MemoryRegions regions(*graph);
  EXPECT_TRUE(regions.is_complete());
  EXPECT_TRUE(regions.MayWrite(graph.Named("w")->node(), graph.Named("a")));
  EXPECT_FALSE(regions.MayWrite(graph.Named("w")->node(), graph.Named("b")));
  EXPECT_TRUE(regions.MayWrite(graph.Named("u")->node(), graph.Named("b")));
  EXPECT_FALSE(regions.MayWrite(graph.Named("u")->node(), graph.Named("a")));
}

TEST(MemoryRegionsTest, PartsOfATensorInAListAreTheTensor) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int):
  %a : Tensor = aten::sin(%x)
  %parts : Tensor[] = aten::chunk(%a, %n, %n)
  %p : Tensor, %q : Tensor = prim::ListUnpack(%parts)
  %w : Tensor = aten::mul_(%q, %s)
  return (%p))IR");
  const MemoryRegions regions(*graph);
  EXPECT_TRUE(regions.HasWriters(graph.Named("a")));
  EXPECT_TRUE(regions.HasWriters(graph.Named("p")));
  EXPECT_FALSE(regions.HasWriters(graph.Named("x")));
}

TEST(MemoryRegionsTest, FollowsControlFlow) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %s : float, %n : int, %p : bool):
  %a : Tensor = aten::sin(%x)
  %b : Tensor = aten::sin(%x)
  %c : Tensor = aten::sin(%x)
  %y : Tensor = prim::If(%p)
    block0():
      -> (%a)
    block1():
      -> (%c)
  %z : Tensor = prim::Loop(%n, %p, %y)
    block0(%i : int, %v : Tensor):
      %w : Tensor = aten::mul_(%v, %s)
      -> (%p, %w)
  return (%z, %b))IR");
  const MemoryRegions regions(*graph);
  EXPECT_TRUE(regions.is_complete());
  const torch::jit::Node* loop = graph.Named("z")->node();
  EXPECT_TRUE(regions.MayWrite(loop, graph.Named("a")));
  EXPECT_TRUE(regions.MayWrite(loop, graph.Named("c")));
  EXPECT_FALSE(regions.MayWrite(loop, graph.Named("b")));
}

TEST(MemoryRegionsTest, InputsAreNotOneTensor) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %cache : Tensor, %s : float):
  %w : Tensor = aten::mul_(%cache, %s)
  return (%x))IR");
  const MemoryRegions regions(*graph);
  EXPECT_TRUE(regions.HasWriters(graph.Named("cache")));
  EXPECT_FALSE(regions.HasWriters(graph.Named("x")));
}

TEST(MemoryRegionsTest, OpsWhoseSchemaHidesThatTheyWriteDoWrite) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor):
  %true : bool = prim::Constant[value=1]()
  %a : Tensor = aten::sin(%x)
  %y : Tensor = quantized::relu6(%a, %true)
  return (%y))IR");
  EXPECT_TRUE(MemoryRegions(*graph).HasWriters(graph.Named("a")));
}

TEST(MemoryRegionsTest, UnknownOpsAreNotFollowed) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor):
  %y : Tensor = made::up(%x)
  return (%y))IR");
  EXPECT_FALSE(MemoryRegions(*graph).is_complete());
}

}  // namespace
}  // namespace ns
