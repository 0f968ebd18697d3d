#include "ir/graph/node_view.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/constants.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/named_graph.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kMixed[] = R"IR(
graph(%x : Tensor, %y : Tensor, %many : Tensor[], %p : bool):
  %one : int = prim::Constant[value=1]()
  %list : Tensor[] = prim::ListConstruct(%x, %y)
  %cat : Tensor = aten::cat(%list, %one)
  %stack : Tensor = aten::stack(%many, %one)
  %sum : Tensor = aten::add(%cat, %stack, %one)
  %parts : Tensor[] = aten::chunk(%sum, %one, %one)
  %r : Tensor = prim::If(%p)
    block0():
      %a : Tensor = aten::relu(%sum)
      -> (%a)
    block1():
      %b : Tensor = aten::tanh(%x)
      %c : Tensor = aten::neg(%b)
      -> (%c)
  %values : Tensor, %indices : Tensor = aten::max(%r, %one, %p)
  return (%values, %parts))IR";

class NodeViewTest : public testing::Test {
 protected:
  Node& At(absl::string_view op, size_t index = 0) {
    return *NodeOf(*graph_, op, index);
  }
  Value* Input(size_t index) { return graph_->inputs()[index]; }

  std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(kMixed);
};

// Whether %list is written to, in a graph with these lines behind it.
bool IsListWrittenTo(const std::string& lines) {
  const NamedGraph graph(
      absl::StrCat("graph(%x : Tensor, %y : Tensor, %p : bool, %n : int):\n"
                   "  %i : int = prim::Constant[value=0]()\n"
                   "  %list : Tensor[] = prim::ListConstruct(%x, %y)\n",
                   lines, "  return (%list)"));
  return IsWrittenTo(*graph.Named("list"));
}

TEST(IsWrittenToTest, SeesWritesToTheListItself) {
  EXPECT_TRUE(IsListWrittenTo("  %s : Tensor[] = aten::append(%list, %x)\n"));
  EXPECT_TRUE(
      IsListWrittenTo("  %s : Tensor[] = aten::_set_item(%list, %i, %x)\n"));
  EXPECT_FALSE(IsListWrittenTo("  %s : Tensor = aten::cat(%list, %i)\n"));
}

TEST(IsWrittenToTest, SeesWritesThroughOtherContainersAndControlFlow) {
  EXPECT_TRUE(
      IsListWrittenTo("  %all : Tensor[][] = prim::ListConstruct(%list)\n"
                      "  %same : Tensor[] = aten::__getitem__(%all, %i)\n"
                      "  %s : Tensor[] = aten::append(%same, %x)\n"));
  EXPECT_TRUE(IsListWrittenTo(
      "  %pair : (Tensor[], int) = prim::TupleConstruct(%list, %i)\n"
      "  %same : Tensor[], %k : int = prim::TupleUnpack(%pair)\n"
      "  %s : Tensor[] = aten::append(%same, %x)\n"));
  EXPECT_TRUE(
      IsListWrittenTo("  %other : Tensor[] = prim::ListConstruct(%x)\n"
                      "  %same : Tensor[] = prim::If(%p)\n"
                      "    block0():\n"
                      "      -> (%list)\n"
                      "    block1():\n"
                      "      -> (%other)\n"
                      "  %s : Tensor[] = aten::append(%same, %x)\n"));
  EXPECT_TRUE(
      IsListWrittenTo("  %last : Tensor[] = prim::Loop(%n, %p, %list)\n"
                      "    block0(%t : int, %same : Tensor[]):\n"
                      "      %s : Tensor[] = aten::append(%same, %x)\n"
                      "      -> (%p, %same)\n"));
}

TEST(IsWrittenToTest, WritesToCopiesAndElementsDoNotCount) {
  EXPECT_FALSE(
      IsListWrittenTo("  %sum : Tensor[] = aten::add(%list, %list)\n"
                      "  %s : Tensor[] = aten::append(%sum, %x)\n"));
  EXPECT_FALSE(
      IsListWrittenTo("  %t : Tensor = aten::__getitem__(%list, %i)\n"
                      "  %s : Tensor = aten::relu_(%t)\n"));
  EXPECT_FALSE(
      IsListWrittenTo("  %t : Tensor = aten::__getitem__(%list, %i)\n"
                      "  %other : Tensor[] = prim::ListConstruct(%t)\n"
                      "  %s : Tensor[] = aten::append(%other, %x)\n"));
}

TEST_F(NodeViewTest, OpNameIsQualified) {
  EXPECT_EQ(OpName(At("aten::cat")), "aten::cat");
}

TEST_F(NodeViewTest, ShortOpNameDropsNamespace) {
  EXPECT_EQ(ShortOpName("aten::conv2d"), "conv2d");
  EXPECT_EQ(ShortOpName("conv2d"), "conv2d");
  EXPECT_EQ(ShortOpName("a::b::c"), "c");
  EXPECT_EQ(ShortOpName(""), "");
}

TEST_F(NodeViewTest, ValueNameDropsWhatMakesItUnique) {
  Value* relu = At("aten::relu").output();
  relu->setDebugName("out.1");
  EXPECT_EQ(ValueName(*relu), "out");
}

TEST_F(NodeViewTest, ValueNameKeepsDotsOfAttributePaths) {
  Value* relu = At("aten::relu").output();
  relu->setDebugName("self.conv.weight");
  EXPECT_EQ(ValueName(*relu), "self.conv.weight");
}

TEST_F(NodeViewTest, ValueNameOfUnnamedIsItsNumber) {
  Value* relu = At("aten::relu").output();
  EXPECT_EQ(ValueName(*relu), "%" + relu->debugName());
}

TEST_F(NodeViewTest, NodeNameIsThatOfFirstOutput) {
  At("aten::max").output(0)->setDebugName("values");
  EXPECT_EQ(NodeName(At("aten::max")), "values");
}

TEST_F(NodeViewTest, NodeNameWithoutOutputIsTheOp) {
  Node* node = graph_->create(c10::prim::RaiseException, 0);
  EXPECT_EQ(NodeName(*node), "prim::RaiseException");
  node->destroy();
}

TEST_F(NodeViewTest, TellsTensorsFromLists) {
  EXPECT_TRUE(IsTensor(*Input(0)));
  EXPECT_FALSE(IsTensorList(*Input(0)));
  EXPECT_TRUE(IsTensorList(*Input(2)));
  EXPECT_FALSE(IsTensor(*Input(2)));
  EXPECT_FALSE(IsTensor(*Input(3)));
}

TEST_F(NodeViewTest, TensorOutputIsTheFirst) {
  EXPECT_EQ(TensorOutput(At("aten::max")), At("aten::max").output(0));
  EXPECT_EQ(TensorOutput(At("aten::chunk")), nullptr);
}

TEST_F(NodeViewTest, InputNamedFollowsSchema) {
  EXPECT_EQ(InputNamed(At("aten::add"), "alpha"), At("aten::add").input(2));
  EXPECT_EQ(InputNamed(At("aten::add"), "other"), At("aten::stack").output());
}

TEST_F(NodeViewTest, InputNamedIsNullForUnknownNames) {
  EXPECT_EQ(InputNamed(At("aten::add"), "beta"), nullptr);
  EXPECT_EQ(InputNamed(At("prim::If"), "cond"), nullptr);
}

TEST_F(NodeViewTest, ConstantOfReadsConstants) {
  const auto one = ConstantOf(*At("prim::Constant").output());
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->toInt(), 1);
}

TEST_F(NodeViewTest, ConstantOfIsEmptyForOthers) {
  EXPECT_FALSE(ConstantOf(*Input(0)).has_value());
  EXPECT_FALSE(ConstantOf(*At("aten::cat").output()).has_value());
}

TEST(NumberOfTest, IsThatOfNumbersAndOfWhatTracingMakesOfThem) {
  torch::jit::Graph graph;
  const auto number_of = [&](const c10::IValue& constant) {
    return NumberOf(*graph.insertConstant(constant));
  };
  EXPECT_EQ(number_of(2), 2.0);
  EXPECT_EQ(number_of(0.5), 0.5);
  EXPECT_EQ(number_of(at::scalar_tensor(2.5, at::kDouble)), 2.5);
  EXPECT_EQ(number_of(at::scalar_tensor(3, at::kLong)), 3.0);
  EXPECT_FALSE(number_of(true).has_value());
  EXPECT_FALSE(number_of(at::scalar_tensor(true, at::kBool)).has_value());
  EXPECT_FALSE(number_of(at::ones({1})).has_value());
  EXPECT_FALSE(NumberOf(*graph.addInput()).has_value());
}

TEST(ConstantDtypeTest, IsThatOfTheArgument) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %s : float, %t : int):
  %half : int = prim::Constant[value=5]()
  %no : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %a : Tensor = aten::to(%x, %half, %no, %no, %none)
  %b : Tensor = aten::quantize_per_tensor(%a, %s, %t, %t)
  %c : Tensor = aten::softmax(%b, %t, %none)
  %d : Tensor = aten::relu(%c)
  return (%d))IR");
  EXPECT_EQ(ConstantDtype(*NodeOf(*graph, "aten::to")), at::kHalf);
  for (const char* op :
       {"aten::quantize_per_tensor", "aten::softmax", "aten::relu"}) {
    EXPECT_FALSE(ConstantDtype(*NodeOf(*graph, op)).has_value()) << op;
  }
}

TEST_F(NodeViewTest, FindsWhatFillsAListBeforeAnOp) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %p : bool):
  %zero : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct()
  %k : int = prim::If(%p)
    block0():
      %a : Tensor[] = aten::append(%list, %x)
      %b : Tensor[] = aten::append(%list, %x)
      -> (%zero)
    block1():
      -> (%zero)
  %c : Tensor[] = aten::append(%list, %x)
  %y : Tensor = aten::cat(%list, %zero)
  %d : Tensor[] = aten::append(%list, %x)
  return (%y))IR");
  const Value* list = NodeOf(*graph, "prim::ListConstruct")->output();
  EXPECT_THAT(WritersBefore(*list, *NodeOf(*graph, "aten::cat")),
              ElementsAre(NodeOf(*graph, "prim::If"),
                          NodeOf(*graph, "aten::append", 2)));
  EXPECT_TRUE(WorksInPlace(*NodeOf(*graph, "prim::If")));
  EXPECT_FALSE(WorksInPlace(*NodeOf(*graph, "aten::cat")));
}

TEST_F(NodeViewTest, KnowsThatRelu6OfCodesMayWriteToThem) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor, %unknown : bool):
  %true : bool = prim::Constant[value=1]()
  %false : bool = prim::Constant[value=0]()
  %a : Tensor = quantized::relu6(%x, %true)
  %b : Tensor = quantized::relu6(%x, %false)
  %c : Tensor = quantized::relu6(%x, %unknown)
  return (%a, %b, %c))IR");
  EXPECT_TRUE(WorksInPlace(*NodeOf(*graph, "quantized::relu6", 0)));
  EXPECT_FALSE(WorksInPlace(*NodeOf(*graph, "quantized::relu6", 1)));
  EXPECT_TRUE(WorksInPlace(*NodeOf(*graph, "quantized::relu6", 2)));
}

TEST_F(NodeViewTest, OnlyUserIsTheUser) {
  EXPECT_EQ(OnlyUser(*At("aten::cat").output()), &At("aten::add"));
}

TEST_F(NodeViewTest, OnlyUserIsNullForSeveralUses) {
  EXPECT_EQ(OnlyUser(*At("aten::add").output()), nullptr);
}

TEST_F(NodeViewTest, OnlyUserIsNullForOneNodeUsingItTwice) {
  At("aten::add").replaceInput(1, At("aten::cat").output());
  EXPECT_EQ(OnlyUser(*At("aten::cat").output()), nullptr);
}

TEST_F(NodeViewTest, OnlyUserIsNullForReturns) {
  EXPECT_EQ(OnlyUser(*At("aten::chunk").output()), nullptr);
  EXPECT_EQ(OnlyUser(*At("aten::relu").output()), nullptr);
}

TEST_F(NodeViewTest, OnlyUserIsNullAcrossBlocks) {
  At("aten::chunk").replaceInput(0, At("aten::cat").output());
  EXPECT_EQ(At("aten::add").output()->uses().size(), 1);
  EXPECT_EQ(OnlyUser(*At("aten::add").output()), nullptr);
}

TEST_F(NodeViewTest, RunsBeforeFollowsOrder) {
  EXPECT_TRUE(RunsBefore(At("aten::cat"), At("aten::add")));
  EXPECT_FALSE(RunsBefore(At("aten::add"), At("aten::cat")));
}

TEST_F(NodeViewTest, RunsBeforeLooksIntoControlFlow) {
  EXPECT_TRUE(RunsBefore(At("aten::cat"), At("aten::tanh")));
  EXPECT_TRUE(RunsBefore(At("aten::tanh"), At("aten::neg")));
  EXPECT_TRUE(RunsBefore(At("aten::neg"), At("aten::max")));
  EXPECT_FALSE(RunsBefore(At("aten::max"), At("aten::relu")));
  EXPECT_TRUE(RunsBefore(At("aten::relu"), At("aten::tanh")));
}

TEST_F(NodeViewTest, RunsBeforeFailsForTheNodeItself) {
  EXPECT_FALSE(RunsBefore(At("aten::cat"), At("aten::cat")));
}

TEST_F(NodeViewTest, RunsBeforeOrdersControlFlowAndWhatItHolds) {
  const bool outer_first = RunsBefore(At("prim::If"), At("aten::tanh"));
  EXPECT_NE(outer_first, RunsBefore(At("aten::tanh"), At("prim::If")));
}

}  // namespace
}  // namespace ns
