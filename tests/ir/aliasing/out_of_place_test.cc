#include "ir/aliasing/out_of_place.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

// Fails the test unless InsertOutOfPlace turns the text into `after` for the
// first node of `op`.
void ExpectInserted(absl::string_view op, absl::string_view before,
                    absl::string_view after) {
  const auto graph = GraphOf(before);
  torch::jit::Node* node = NodeOf(*graph, op);
  const torch::jit::Node* inserted = InsertOutOfPlace(node);
  ASSERT_NE(inserted, nullptr);
  EXPECT_EQ(inserted->next(), node);
  ExpectIr(graph, after);
}

// Fails the test unless there is no op for the first node of `op`, and the
// graph stays as it is.
void ExpectKept(absl::string_view op, absl::string_view text) {
  const auto graph = GraphOf(text);
  EXPECT_EQ(InsertOutOfPlace(NodeOf(*graph, op)), nullptr);
  ExpectIr(graph, text);
}

TEST(OutOfPlaceTest, InsertsTheOpWithTheSameInputsBefore) {
  ExpectInserted("aten::add_", R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %1 : Tensor = aten::add_(%x, %z, %one)
  return (%1))IR",
                 R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %y : Tensor = aten::add(%x, %z, %one)
  %1 : Tensor = aten::add_(%x, %z, %one)
  return (%1))IR");
}

TEST(OutOfPlaceTest, TakesAllInputsOfTheOp) {
  ExpectInserted("aten::clamp_", R"IR(
graph(%x : Tensor, %low : float, %high : float):
  %1 : Tensor = aten::clamp_(%x, %low, %high)
  return (%x))IR",
                 R"IR(
graph(%x : Tensor, %low : float, %high : float):
  %y : Tensor = aten::clamp(%x, %low, %high)
  %1 : Tensor = aten::clamp_(%x, %low, %high)
  return (%x))IR");
}

TEST(OutOfPlaceTest, TheTypeIsThatOfTheOpInPlace) {
  const auto graph = GraphOf(R"IR(
graph(%x : Float(2, 3)):
  %y : Float(2, 3) = aten::relu_(%x)
  return (%y))IR");
  torch::jit::Node* node = NodeOf(*graph, "aten::relu_");
  const torch::jit::Node* inserted = InsertOutOfPlace(node);
  ASSERT_NE(inserted, nullptr);
  EXPECT_EQ(*inserted->output()->type(), *node->output()->type());
}

TEST(OutOfPlaceTest, TheModulePathAndTheSourceAreThoseOfTheOpInPlace) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu_(%x)
  return (%y))IR");
  torch::jit::Node* node = NodeOf(*graph, "aten::relu_");
  const ModulePath path = {"block.act", 1, "ReLU"};
  node->setScope(ScopeFor(path, graph->current_scope()));
  const auto source = std::make_shared<torch::jit::Source>("y = x.relu_()");
  node->setSourceRange(torch::jit::SourceRange(source, 4, 13));
  const torch::jit::Node* inserted = InsertOutOfPlace(node);
  ASSERT_NE(inserted, nullptr);
  EXPECT_EQ(ModulePathOf(*inserted), path);
  EXPECT_EQ(inserted->sourceRange().source(), source);
  EXPECT_EQ(inserted->sourceRange().start(), 4);
}

TEST(OutOfPlaceTest, InsertsInsideControlFlow) {
  ExpectInserted("aten::relu_", R"IR(
graph(%x : Tensor, %flag : bool):
  %y : Tensor = prim::If(%flag)
    block0():
      %a : Tensor = aten::relu_(%x)
      -> (%a)
    block1():
      -> (%x)
  return (%y))IR",
                 R"IR(
graph(%x : Tensor, %flag : bool):
  %y : Tensor = prim::If(%flag)
    block0():
      %b : Tensor = aten::relu(%x)
      %a : Tensor = aten::relu_(%x)
      -> (%a)
    block1():
      -> (%x)
  return (%y))IR");
}

// What aten::copy gives does not have the dtype and the shape of %x.
TEST(OutOfPlaceTest, KeepsTheGraphWhenATensorIsCopied) {
  ExpectKept("aten::copy_", R"IR(
graph(%x : Tensor, %z : Tensor, %no : bool):
  %y : Tensor = aten::copy_(%x, %z, %no)
  return (%y))IR");
}

TEST(OutOfPlaceTest, KeepsTheGraphWhenTheOpWritesNowhere) {
  ExpectKept("aten::add", R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %y : Tensor = aten::add(%x, %z, %one)
  return (%y))IR");
}

TEST(OutOfPlaceTest, KeepsTheGraphWhenAListIsWrittenTo) {
  ExpectKept("aten::add_", R"IR(
graph(%x : Tensor[], %z : Tensor[]):
  %y : Tensor[] = aten::add_(%x, %z)
  return (%y))IR");
}

TEST(OutOfPlaceTest, KeepsTheGraphWhenTheOpWritesToAnotherInputToo) {
  ExpectKept("aten::_amp_update_scale_", R"IR(
graph(%x : Tensor, %growth : Tensor, %found : Tensor, %f : float, %n : int):
  %y : Tensor = aten::_amp_update_scale_(%x, %growth, %found, %f, %f, %n)
  return (%y))IR");
}

TEST(OutOfPlaceTest, KeepsTheGraphWhenTheOpIsUnknown) {
  ExpectKept("nets::scale_", R"IR(
graph(%x : Tensor):
  %y : Tensor = nets::scale_(%x)
  return (%y))IR");
}

}  // namespace
}  // namespace ns
