#include "passes/quantization/layers/remove_mutation.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

void ExpectBecomes(const std::string& before, const std::string& after) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(before);
  RemoveMutation(graph);
  ExpectIr(graph, after);
}

void ExpectStays(const std::string& text) { ExpectBecomes(text, text); }

TEST(RemoveMutationTest, DropoutsInPlaceThatDoNothingAreOutOfPlace) {
  ExpectBecomes(R"IR(
graph(%x : Tensor):
  %half : float = prim::Constant[value=0.5]()
  %no : bool = prim::Constant[value=0]()
  %y : Tensor = aten::dropout_(%x, %half, %no)
  return (%y))IR",
                R"IR(
graph(%x : Tensor):
  %half : float = prim::Constant[value=0.5]()
  %no : bool = prim::Constant[value=0]()
  %y : Tensor = aten::dropout(%x, %half, %no)
  return (%y))IR");
}

// What is read from a dict may be any tensor in one, LibTorch assumes.
TEST(RemoveMutationTest, WritesToATensorThatOneOpTakesAreOutOfPlace) {
  ExpectBecomes(R"IR(
graph(%x : Tensor, %key : str):
  %one : int = prim::Constant[value=1]()
  %all : Dict(str, Tensor) = prim::DictConstruct(%key, %x)
  %y : Tensor = aten::__getitem__(%all, %key)
  %a : Tensor = aten::sin(%y)
  %b : Tensor = aten::add_(%a, %y, %one)
  %c : Tensor = aten::relu_(%b)
  aten::_set_item(%all, %key, %c)
  return (%all))IR",
                R"IR(
graph(%x : Tensor, %key : str):
  %one : int = prim::Constant[value=1]()
  %all : Dict(str, Tensor) = prim::DictConstruct(%key, %x)
  %y : Tensor = aten::__getitem__(%all, %key)
  %a : Tensor = aten::sin(%y)
  %b : Tensor = aten::add(%a, %y, %one)
  %c : Tensor = aten::relu(%b)
  aten::_set_item(%all, %key, %c)
  return (%all))IR");
}

// As of positions that come from NumPy: out-of-place the sum would be float64.
TEST(RemoveMutationTest, WritesThatWouldGiveAnotherTypeStay) {
  const std::shared_ptr<torch::jit::Graph> graph = GraphOf(R"IR(
graph(%x : Tensor, %positions : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::add_(%a, %positions, %one)
  return (%b))IR");
  {
    const torch::jit::WithInsertPoint first(*graph->nodes().begin());
    graph->inputs()[1]->replaceAllUsesWith(
        graph->insertConstant(at::ones({8}, at::kDouble)));
  }
  RemoveMutation(graph);
  EXPECT_NE(NodeOf(*graph, "aten::add_"), nullptr);
}

TEST(RemoveMutationTest, WritesToATensorThatAnotherOpTakesStay) {
  ExpectStays(R"IR(
graph(%x : Tensor, %key : str):
  %all : Dict(str, Tensor) = prim::DictConstruct(%key, %x)
  %y : Tensor = aten::__getitem__(%all, %key)
  %a : Tensor = aten::sin(%y)
  aten::_set_item(%all, %key, %a)
  %c : Tensor = aten::relu_(%a)
  return (%all, %c))IR");
}

TEST(RemoveMutationTest, GrowingListsGetANameForEachLength) {
  ExpectBecomes(R"IR(
graph(%a : Tensor):
  %one : int = prim::Constant[value=1]()
  %all : Tensor[] = prim::ListConstruct(%a)
  %b : Tensor = aten::cat(%all, %one)
  %s : Tensor[] = aten::append(%all, %b)
  %c : Tensor = aten::cat(%all, %one)
  %t : Tensor[] = aten::append(%all, %c)
  %d : Tensor = aten::cat(%all, %one)
  return (%d))IR",
                R"IR(
graph(%a : Tensor):
  %one : int = prim::Constant[value=1]()
  %all : Tensor[] = prim::ListConstruct(%a)
  %b : Tensor = aten::cat(%all, %one)
  %two : Tensor[] = prim::ListConstruct(%a, %b)
  %c : Tensor = aten::cat(%two, %one)
  %three : Tensor[] = prim::ListConstruct(%a, %b, %c)
  %d : Tensor = aten::cat(%three, %one)
  return (%d))IR");
}

TEST(RemoveMutationTest, AListMayBeAddedToAnother) {
  ExpectBecomes(R"IR(
graph(%a : Tensor):
  %all : Tensor[] = prim::ListConstruct(%a)
  %s : Tensor[] = aten::append(%all, %a)
  %twice : Tensor[] = aten::add(%all, %all)
  return (%twice))IR",
                R"IR(
graph(%a : Tensor):
  %all : Tensor[] = prim::ListConstruct(%a)
  %two : Tensor[] = prim::ListConstruct(%a, %a)
  %twice : Tensor[] = aten::add(%two, %two)
  return (%twice))IR");
}

TEST(RemoveMutationTest, ListsThatAreWrittenToOtherwiseStay) {
  ExpectStays(R"IR(
graph(%a : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %all : Tensor[] = prim::ListConstruct(%a)
  %s : Tensor[] = aten::append(%all, %a)
  %p : Tensor = aten::pop(%all, %zero)
  %y : Tensor = aten::cat(%all, %one)
  return (%y, %p))IR");
}

// `all += [a, a]`.
TEST(RemoveMutationTest, ListsThatAnotherIsAddedToInPlaceStay) {
  ExpectStays(R"IR(
graph(%a : Tensor):
  %one : int = prim::Constant[value=1]()
  %all : Tensor[] = prim::ListConstruct(%a)
  %s : Tensor[] = aten::append(%all, %a)
  %more : Tensor[] = prim::ListConstruct(%a, %a)
  %t : Tensor[] = aten::add_(%all, %more)
  %y : Tensor = aten::cat(%all, %one)
  return (%y))IR");
}

TEST(RemoveMutationTest, ListsThatAreStoredInAnotherStay) {
  ExpectStays(R"IR(
graph(%a : Tensor, %outer : Tensor[][]):
  %one : int = prim::Constant[value=1]()
  %all : Tensor[] = prim::ListConstruct(%a)
  %s : Tensor[] = aten::append(%all, %a)
  %t : Tensor[][] = aten::append(%outer, %all)
  %y : Tensor = aten::cat(%all, %one)
  return (%y))IR");
}

TEST(RemoveMutationTest, ListsThatOthersHoldOrThatGrowInALoopStay) {
  ExpectStays(R"IR(
graph(%a : Tensor):
  %all : Tensor[] = prim::ListConstruct(%a)
  %s : Tensor[] = aten::append(%all, %a)
  return (%all))IR");
  ExpectStays(R"IR(
graph(%a : Tensor, %p : bool):
  %one : int = prim::Constant[value=1]()
  %all : Tensor[] = prim::ListConstruct(%a)
  %x : Tensor = prim::If(%p)
    block0():
      %s : Tensor[] = aten::append(%all, %a)
      -> (%a)
    block1():
      -> (%a)
  %y : Tensor = aten::cat(%all, %one)
  return (%x, %y))IR");
}

}  // namespace
}  // namespace ns
