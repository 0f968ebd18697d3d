#include "ir/aliasing/data_inputs.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Node;
using ::torch::jit::Value;

class DataInputsTest : public testing::Test {
 protected:
  Node& At(absl::string_view op) { return *NodeOf(*graph_, op, 0); }
  Value* Input(size_t index) { return graph_->inputs()[index]; }

  const std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(R"IR(
graph(%x : Tensor, %y : Tensor, %many : Tensor[]):
  %one : int = prim::Constant[value=1]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %cat : Tensor = aten::cat(%list, %one)
  %stack : Tensor = aten::stack(%many, %one)
  %sum : Tensor = aten::add(%cat, %stack, %one)
  return (%sum))IR");
};

TEST_F(DataInputsTest, LookIntoLists) {
  EXPECT_THAT(DataInputs(At("aten::cat")), ElementsAre(Input(0), Input(1)));
}

TEST_F(DataInputsTest, KeepListsThatAreNotBuiltHere) {
  EXPECT_THAT(DataInputs(At("aten::stack")), ElementsAre(Input(2)));
}

TEST_F(DataInputsTest, KeepListsThatAreFilledLater) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct()
  %same : Tensor[] = aten::append(%list, %x)
  %y : Tensor = aten::cat(%list, %zero)
  return (%y))IR");
  Value* list = NodeOf(*graph, "prim::ListConstruct")->output();
  EXPECT_TRUE(IsWrittenTo(*list));
  EXPECT_FALSE(IsWrittenTo(*At("prim::ListConstruct").output()));
  EXPECT_THAT(DataInputs(*NodeOf(*graph, "aten::cat")), ElementsAre(list));
}

TEST_F(DataInputsTest, ComeInOrderWithoutConstants) {
  EXPECT_THAT(
      DataInputs(At("aten::add")),
      ElementsAre(At("aten::cat").output(), At("aten::stack").output()));
  EXPECT_THAT(DataInputs(At("prim::Constant")), IsEmpty());
}

TEST_F(DataInputsTest, FirstDataInputIsTheFirstOfThem) {
  for (const char* op : {"aten::cat", "aten::stack", "aten::add"}) {
    EXPECT_EQ(FirstDataInput(At(op)), DataInputs(At(op)).front()) << op;
  }
  EXPECT_EQ(FirstDataInput(At("prim::Constant")), nullptr);
}

TEST_F(DataInputsTest, LeaveConstantTensorsOut) {
  torch::jit::WithInsertPoint at(&At("aten::add"));
  Value* weight = graph_->insertConstant(at::Tensor(at::ones({1})));
  At("aten::add").replaceInput(0, weight);
  EXPECT_THAT(DataInputs(At("aten::add")),
              ElementsAre(At("aten::stack").output()));
}

TEST_F(DataInputsTest, LeaveOutWhatIsMadeOfConstants) {
  const char* text = R"IR(
graph(%x : Tensor):
  %scale : float = prim::Constant[value=0.5]()
  %zero : int = prim::Constant[value=0]()
  %most : int = prim::Constant[value=127]()
  %none : NoneType = prim::Constant()
  %weight : Tensor = aten::scalar_tensor(%scale, %none, %none, %none, %none)
  %fake : Tensor = aten::fake_quantize_per_tensor_affine(%weight, %scale, %zero, %zero, %most)
  %noise : Tensor = aten::bernoulli(%fake, %none)
  %data : Tensor = aten::fake_quantize_per_tensor_affine(%x, %scale, %zero, %zero, %most)
  %y : Tensor = aten::linear(%data, %fake, %none)
  %z : Tensor = aten::linear(%y, %noise, %none)
  return (%z))IR";
  const auto graph = GraphOf(text);
  EXPECT_THAT(DataInputs(*NodeOf(*graph, "aten::linear")),
              ElementsAre(NodeOf(*graph, "aten::linear")->input(0)));
  const Node* second = NodeOf(*graph, "aten::linear", 1);
  EXPECT_THAT(DataInputs(*second),
              ElementsAre(second->inputs()[0], second->inputs()[1]));
}

// A buffer is data once something is written to it, through views, too.
TEST_F(DataInputsTest, AreWhatIsWrittenTo) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %sizes : int[]):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %four : int[] = prim::Constant[value=[4, 4]]()
  %filled : Tensor = aten::zeros(%four, %none, %none, %none, %none)
  %part : Tensor = aten::select(%filled, %zero, %one)
  %w : Tensor = aten::copy_(%part, %x, %no)
  %rows : Tensor = aten::t(%filled)
  %empty : Tensor = aten::zeros(%four, %none, %none, %none, %none)
  %y : Tensor = aten::mm(%rows, %empty)
  return (%y))IR");
  EXPECT_THAT(DataInputs(*NodeOf(*graph, "aten::mm")),
              ElementsAre(NodeOf(*graph, "aten::t")->output()));
}

// What is written is read as the output of the op that writes.
TEST_F(DataInputsTest, LeaveOutWhatIsMadeInPlace) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %four : int[] = prim::Constant[value=[4, 4]]()
  %ones : Tensor = aten::ones(%four, %none, %none, %none, %none)
  %mask : Tensor = aten::triu_(%ones, %one)
  %y : Tensor = aten::add(%x, %mask, %one)
  return (%y))IR");
  EXPECT_THAT(DataInputs(*NodeOf(*graph, "aten::add")),
              ElementsAre(graph->inputs()[0]));
}

}  // namespace
}  // namespace ns
