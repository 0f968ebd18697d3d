#include "ir/graph/handed_on.h"

#include <ATen/core/alias_info.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using ::torch::jit::Value;
using Values = std::vector<const Value*>;

// Returns what the use number `index` of `%name` hands it on to.
Values HandedOn(const NamedGraph& graph, const std::string& name,
                size_t index = 0) {
  return HandedOnTo(graph.Named(name)->uses().at(index));
}

TEST(IsContainerTest, ListsTuplesAndDictsAre) {
  const auto tensor = c10::TensorType::get();
  EXPECT_TRUE(IsContainer(*c10::ListType::create(tensor)));
  EXPECT_TRUE(IsContainer(*c10::TupleType::create({tensor})));
  EXPECT_TRUE(
      IsContainer(*c10::DictType::create(c10::StringType::get(), tensor)));
}

TEST(IsContainerTest, OptionalTypesAreWhatTheyHold) {
  const auto tensor = c10::TensorType::get();
  EXPECT_TRUE(
      IsContainer(*c10::OptionalType::create(c10::ListType::create(tensor))));
  EXPECT_FALSE(IsContainer(*c10::OptionalType::create(tensor)));
}

TEST(IsContainerTest, OtherTypesAreNot) {
  EXPECT_FALSE(IsContainer(*c10::TensorType::get()));
  EXPECT_FALSE(IsContainer(*c10::IntType::get()));
  EXPECT_FALSE(IsContainer(*c10::StringType::get()));
}

TEST(AliasOfTest, IsWhatTheSchemaSays) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %y : Tensor = aten::add_(%x, %z, %one)
  return (%y))IR");
  const c10::AliasInfo* written = AliasOf(graph.Named("x")->uses()[0]);
  ASSERT_NE(written, nullptr);
  EXPECT_TRUE(written->isWrite());
  EXPECT_EQ(AliasOf(graph.Named("z")->uses()[0]), nullptr);
}

TEST(AliasOfTest, IsNullWithoutASchema) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor):
  %t : (Tensor) = prim::TupleConstruct(%x)
  return (%t))IR");
  EXPECT_EQ(AliasOf(graph.Named("x")->uses()[0]), nullptr);
  EXPECT_EQ(AliasOf(graph.Named("t")->uses()[0]), nullptr);
}

TEST(HandedOnToTest, NothingOfWhatAnOpComputesWith) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  EXPECT_THAT(HandedOn(graph, "x"), IsEmpty());
}

TEST(HandedOnToTest, NothingOfWhatTheGraphReturns) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  EXPECT_THAT(HandedOn(graph, "y"), IsEmpty());
}

TEST(HandedOnToTest, WhatAnArmReturnsIsTheOutputOfTheIf) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %flag : bool):
  %p : Tensor, %q : Tensor = prim::If(%flag)
    block0():
      %a : Tensor = aten::relu(%x)
      %b : Tensor = aten::sin(%x)
      -> (%a, %b)
    block1():
      %c : Tensor = aten::cos(%x)
      %d : Tensor = aten::tan(%x)
      -> (%c, %d)
  return (%p, %q))IR");
  EXPECT_THAT(HandedOn(graph, "a"), ElementsAre(graph.Named("p")));
  EXPECT_THAT(HandedOn(graph, "b"), ElementsAre(graph.Named("q")));
  EXPECT_THAT(HandedOn(graph, "d"), ElementsAre(graph.Named("q")));
  EXPECT_THAT(HandedOn(graph, "flag"), IsEmpty());
}

constexpr char kLoop[] = R"IR(
graph(%x : Tensor, %z : Tensor, %n : int, %start : bool):
  %p : Tensor, %q : Tensor = prim::Loop(%n, %start, %x, %z)
    block0(%i : int, %v : Tensor, %w : Tensor):
      %a : Tensor = aten::sin(%v)
      %b : Tensor = aten::cos(%w)
      %on : bool = aten::is_floating_point(%a)
      -> (%on, %a, %b)
  return (%p, %q))IR";

TEST(HandedOnToTest, WhatALoopCarriesIsInItsBodyAndItsOutput) {
  const NamedGraph graph(kLoop);
  EXPECT_THAT(HandedOn(graph, "x"),
              ElementsAre(graph.Named("v"), graph.Named("p")));
  EXPECT_THAT(HandedOn(graph, "z"),
              ElementsAre(graph.Named("w"), graph.Named("q")));
}

TEST(HandedOnToTest, WhatABodyReturnsIsInTheNextTripAndTheOutput) {
  const NamedGraph graph(kLoop);
  EXPECT_THAT(HandedOn(graph, "b"),
              ElementsAre(graph.Named("w"), graph.Named("q")));
  // The first use of %a is in the body.
  EXPECT_THAT(HandedOn(graph, "a", 1),
              ElementsAre(graph.Named("v"), graph.Named("p")));
}

TEST(HandedOnToTest, NothingOfTheTripsAndTheConditionsOfALoop) {
  const NamedGraph graph(kLoop);
  EXPECT_THAT(HandedOn(graph, "n"), IsEmpty());
  EXPECT_THAT(HandedOn(graph, "start"), IsEmpty());
  EXPECT_THAT(HandedOn(graph, "on"), IsEmpty());
}

TEST(HandedOnToTest, ListsTuplesAndDictsHoldWhatTheyAreMadeOf) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %y : Tensor, %z : Tensor, %key : str):
  %list : Tensor[] = prim::ListConstruct(%x)
  %pair : (Tensor, str) = prim::TupleConstruct(%y, %key)
  %dict : Dict(str, Tensor) = prim::DictConstruct(%key, %z)
  return (%list, %pair, %dict))IR");
  EXPECT_THAT(HandedOn(graph, "x"), ElementsAre(graph.Named("list")));
  EXPECT_THAT(HandedOn(graph, "y"), ElementsAre(graph.Named("pair")));
  EXPECT_THAT(HandedOn(graph, "z"), ElementsAre(graph.Named("dict")));
}

TEST(HandedOnToTest, WhatIsUnpackedMayBeAnyOutput) {
  const NamedGraph graph(R"IR(
graph(%list : Tensor[], %pair : (Tensor, int), %zero : int):
  %a : Tensor, %b : Tensor = prim::ListUnpack(%list)
  %c : Tensor, %d : int = prim::TupleUnpack(%pair)
  return (%a, %b, %c, %d))IR");
  EXPECT_THAT(HandedOn(graph, "list"),
              ElementsAre(graph.Named("a"), graph.Named("b")));
  EXPECT_THAT(HandedOn(graph, "pair"),
              ElementsAre(graph.Named("c"), graph.Named("d")));
}

TEST(HandedOnToTest, ContainersHoldWhatIsPutIntoThem) {
  const NamedGraph graph(R"IR(
graph(%list : Tensor[], %dict : Dict(str, Tensor), %x : Tensor, %y : Tensor, %z : Tensor, %key : str, %zero : int):
  %1 : Tensor[] = aten::append(%list, %x)
  aten::insert(%list, %zero, %y)
  aten::_set_item(%dict, %key, %z)
  return (%list, %dict))IR");
  // Here, append also returns the list.
  EXPECT_THAT(HandedOn(graph, "x"),
              UnorderedElementsAre(graph.Named("1"), graph.Named("list")));
  EXPECT_THAT(HandedOn(graph, "y"), ElementsAre(graph.Named("list")));
  EXPECT_THAT(HandedOn(graph, "z"), ElementsAre(graph.Named("dict")));
}

TEST(HandedOnToTest, AListHoldsWhatItIsExtendedBy) {
  const NamedGraph graph(R"IR(
graph(%list : Tensor[], %more : Tensor[]):
  aten::extend(%list, %more)
  return (%list))IR");
  EXPECT_THAT(HandedOn(graph, "more"), ElementsAre(graph.Named("list")));
}

TEST(HandedOnToTest, WhatIsReadFromAContainerWasInIt) {
  const NamedGraph graph(R"IR(
graph(%list : Tensor[], %dict : Dict(str, Tensor), %key : str, %zero : int):
  %a : Tensor = aten::__getitem__(%list, %zero)
  %b : Tensor = aten::__getitem__(%dict, %key)
  return (%a, %b))IR");
  EXPECT_THAT(HandedOn(graph, "list"), ElementsAre(graph.Named("a")));
  EXPECT_THAT(HandedOn(graph, "dict"), ElementsAre(graph.Named("b")));
}

TEST(HandedOnToTest, ADefaultIsReadWhereADictDoesNotHaveTheKey) {
  const NamedGraph graph(R"IR(
graph(%dict : Dict(str, Tensor), %key : str, %x : Tensor):
  %y : Tensor = aten::get(%dict, %key, %x)
  return (%y))IR");
  EXPECT_THAT(HandedOn(graph, "dict"), ElementsAre(graph.Named("y")));
  EXPECT_THAT(HandedOn(graph, "x"), ElementsAre(graph.Named("y")));
}

TEST(HandedOnToTest, ACopyOfAContainerHoldsTheSame) {
  const NamedGraph graph(R"IR(
graph(%list : Tensor[], %dict : Dict(str, Tensor), %more : Tensor[]):
  %copy : Tensor[] = aten::copy(%list)
  %values : Tensor[] = aten::values(%dict)
  %both : Tensor[] = aten::add(%more, %copy)
  return (%both, %values))IR");
  EXPECT_THAT(HandedOn(graph, "list"), ElementsAre(graph.Named("copy")));
  EXPECT_THAT(HandedOn(graph, "dict"), ElementsAre(graph.Named("values")));
  EXPECT_THAT(HandedOn(graph, "more"), ElementsAre(graph.Named("both")));
}

TEST(HandedOnToTest, WhatIsMadeOfAListIsAnotherTensor) {
  const NamedGraph graph(R"IR(
graph(%list : Tensor[], %dim : int):
  %y : Tensor = aten::cat(%list, %dim)
  %n : int = aten::len(%list)
  return (%y, %n))IR");
  EXPECT_THAT(HandedOn(graph, "list", 0), IsEmpty());
  EXPECT_THAT(HandedOn(graph, "list", 1), IsEmpty());
}

TEST(HandedOnToTest, ViewsAreTheValue) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %zero : int):
  %y : Tensor = aten::select(%x, %zero, %zero)
  return (%y))IR");
  EXPECT_THAT(HandedOn(graph, "x"), ElementsAre(graph.Named("y")));
}

TEST(HandedOnToTest, AnOpInPlaceReturnsWhatItWritesTo) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %y : Tensor = aten::add_(%x, %z, %one)
  return (%y))IR");
  EXPECT_THAT(HandedOn(graph, "x"), ElementsAre(graph.Named("y")));
  EXPECT_THAT(HandedOn(graph, "z"), IsEmpty());
}

TEST(HandedOnToTest, CastsAndUnwrappedOptionalsAreTheValue) {
  const NamedGraph graph(R"IR(
graph(%x : Tensor?, %z : Tensor?, %u : Tensor?):
  %a : Tensor = prim::unchecked_cast(%x)
  %b : Tensor = prim::unchecked_unwrap_optional(%z)
  %c : Tensor = aten::_unwrap_optional(%u)
  return (%a, %b, %c))IR");
  EXPECT_THAT(HandedOn(graph, "x"), ElementsAre(graph.Named("a")));
  EXPECT_THAT(HandedOn(graph, "z"), ElementsAre(graph.Named("b")));
  EXPECT_THAT(HandedOn(graph, "u"), ElementsAre(graph.Named("c")));
}

}  // namespace
}  // namespace ns
