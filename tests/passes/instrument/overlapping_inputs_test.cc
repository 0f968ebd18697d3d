#include "passes/instrument/overlapping_inputs.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// Treats the add_ in `text` as a shadow that was fed with the graph's inputs.
void ExpectCopiedTogether(const std::string& text,
                          const std::string& expected) {
  ModelGraph model = ModelOf(text);
  torch::jit::Graph& graph = model.graph();
  Node* add = NodeOf(graph, "aten::add_");
  CopyInputsTogether(graph.inputs().slice(1).vec(), {add, add, add, {add}},
                     graph.block()->param_node());
  ExpectShortIr(graph, expected);
}

TEST(OverlappingInputsTest, SeveralClonesBecomeOneCopy) {
  ExpectCopiedTogether(R"IR(
graph(%x : Tensor, %y : Tensor):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %c : Tensor = aten::clone(%x, %none)
  %d : Tensor = aten::clone(%y, %none)
  %z : Tensor = aten::add_(%c, %d, %one)
  return (%z))IR",
                       R"IR(
%2 = prim::ListConstruct(%0, %1)
%3 = ns::copy_together(%2)
%4, %5 = prim::ListUnpack(%3)
%6 = aten::add_(%4, %5, 1)
return (%6))IR");
}

TEST(OverlappingInputsTest, KeepsCloneThatIsAlone) {
  ExpectCopiedTogether(R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %c : Tensor = aten::clone(%x, %none)
  %z : Tensor = aten::add_(%c, %one, %one)
  return (%z))IR",
                       R"IR(
%1 = aten::clone(%0, None)
%2 = aten::add_(%1, 1, 1)
return (%2))IR");
}

TEST(OverlappingInputsTest, KeepsClonesOfOtherValues) {
  ExpectCopiedTogether(R"IR(
graph(%x : Tensor):
  %none : NoneType = prim::Constant()
  %one : int = prim::Constant[value=1]()
  %c : Tensor = aten::clone(%x, %none)
  %d : Tensor = aten::clone(%c, %none)
  %z : Tensor = aten::add_(%c, %d, %one)
  return (%z))IR",
                       R"IR(
%1 = aten::clone(%0, None)
%2 = aten::clone(%1, None)
%3 = aten::add_(%1, %2, 1)
return (%3))IR");
}

}  // namespace
}  // namespace ns
