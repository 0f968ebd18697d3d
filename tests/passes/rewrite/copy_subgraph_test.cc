#include "passes/rewrite/copy_subgraph.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/text/text.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Node;
using ::torch::jit::Value;

// A target that takes two tensors, and where the copies go.
constexpr char kTarget[] = R"IR(
graph(%p : Tensor, %q : Tensor):
  %r : Tensor = aten::neg(%p)
  return (%r))IR";

class CopySubgraphTest : public testing::Test {
 protected:
  // Copies the node `op` of `source`, fed with the target's inputs.
  absl::StatusOr<CopiedSubgraph> Copy(
      const ModelGraph& source, absl::string_view op, int inputs = 1,
      const ValueCounterparts& same = ValueCounterparts()) {
    Node* node = NodeOf(source.graph(), op);
    std::vector<Value*> data;
    for (int i = 0; i < inputs; ++i) {
      data.push_back(target_.graph().inputs()[i + 1]);
    }
    return CopySubgraph(source, {node, node, node, {node}}, *node->output(0),
                        data, target_, target_.graph().return_node(), same);
  }

  // The target with the copy's output as its result.
  void ReturnCopy(const absl::StatusOr<CopiedSubgraph>& copy) {
    NS_ASSERT_OK(copy.status());
    target_.graph().eraseOutput(0);
    target_.graph().registerOutput(copy->output);
    NS_EXPECT_OK(VerifyGraph(target_.graph()));
  }

  void ExpectTarget(absl::string_view text) {
    EXPECT_EQ(CanonicalText(target_.shared_graph()),
              CanonicalText(ModelOf(text).shared_graph()));
  }

  at::Tensor Run(const at::Tensor& p, const at::Tensor& q) {
    return OrThrow(target_.Run({p, q})).toTensor();
  }

  ModelGraph target_ = ModelOf(kTarget);
};

TEST_F(CopySubgraphTest, BringsConstantsAlong) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %low : float = prim::Constant[value=-1.]()
  %high : float = prim::Constant[value=2.]()
  %h : Tensor = aten::hardtanh(%x, %low, %high)
  return (%h))IR");
  ReturnCopy(Copy(source, "aten::hardtanh"));
  ExpectTarget(R"IR(
graph(%p : Tensor, %q : Tensor):
  %r : Tensor = aten::neg(%p)
  %low : float = prim::Constant[value=-1.]()
  %high : float = prim::Constant[value=2.]()
  %h : Tensor = aten::hardtanh(%p, %low, %high)
  return (%h))IR");
}

TEST_F(CopySubgraphTest, SharesConstantTensors) {
  ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  %m : Tensor = aten::matmul(%y, %x)
  return (%m))IR");
  const at::Tensor weight = at::ones({2, 2});
  Node* matmul = NodeOf(source.graph(), "aten::matmul");
  {
    torch::jit::WithInsertPoint at(matmul);
    matmul->replaceInput(1, source.graph().insertConstant(weight));
  }
  ReturnCopy(Copy(source, "aten::matmul"));
  const Node* copied = NodeOf(target_.graph(), "aten::matmul");
  EXPECT_EQ(copied->input(1)->node()->t(c10::attr::value).data_ptr(),
            weight.data_ptr());
}

TEST_F(CopySubgraphTest, FeedsEachArgumentByPosition) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::mul(%x, %x)
  return (%y))IR");
  ReturnCopy(Copy(source, "aten::mul", 2));
  const at::Tensor p = at::ones({2}) * 3;
  EXPECT_TRUE(Run(p, p + 1).equal(p * 4));
}

TEST_F(CopySubgraphTest, RebuildsListsAroundData) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor, %y : Tensor):
  %dim : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct(%y, %x)
  %c : Tensor = aten::cat(%list, %dim)
  return (%c))IR");
  ReturnCopy(Copy(source, "aten::cat", 2));
  EXPECT_TRUE(Run(at::zeros({1}), at::ones({1})).equal(at::arange(2.0)));
}

TEST_F(CopySubgraphTest, CopiesChainsAsOne) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::neg(%x)
  %b : Tensor = aten::relu(%a)
  %c : Tensor = aten::sigmoid(%b)
  return (%c))IR");
  Node* start = NodeOf(source.graph(), "aten::relu");
  Node* end = NodeOf(source.graph(), "aten::sigmoid");
  const auto copy = CopySubgraph(source, {start, end, start, {start, end}},
                                 *end->output(), {target_.graph().inputs()[1]},
                                 target_, target_.graph().return_node());
  ReturnCopy(copy);
  EXPECT_EQ(copy->subgraph.start, NodeOf(target_.graph(), "aten::relu"));
  EXPECT_EQ(copy->subgraph.base, copy->subgraph.start);
  EXPECT_EQ(copy->subgraph.end, NodeOf(target_.graph(), "aten::sigmoid"));
  const at::Tensor x = at::randn({4});
  EXPECT_TRUE(Run(x, x).equal(x.relu().sigmoid()));
}

TEST_F(CopySubgraphTest, ComputesShapesFromWhatItIsFed) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %dim : int = aten::dim(%x)
  %y : Tensor = aten::unsqueeze(%x, %dim)
  return (%y))IR");
  ReturnCopy(Copy(source, "aten::unsqueeze"));
  EXPECT_EQ(Run(at::ones({2, 3}), at::ones({1})).sizes().vec(),
            (std::vector<int64_t>{2, 3, 1}));
}

constexpr char kShapeOfAnother[] = R"IR(
graph(%x : Tensor, %z : Tensor):
  %other : Tensor = aten::neg(%z)
  %dim : int = aten::dim(%other)
  %y : Tensor = aten::unsqueeze(%x, %dim)
  return (%y))IR";

TEST_F(CopySubgraphTest, ComputesShapesFromCounterparts) {
  const ModelGraph source = ModelOf(kShapeOfAnother);
  Value* other = NodeOf(source.graph(), "aten::neg")->output();
  Value* same = NodeOf(target_.graph(), "aten::neg")->output();
  ReturnCopy(Copy(source, "aten::unsqueeze", 1, {{other, same}}));
  ExpectTarget(R"IR(
graph(%p : Tensor, %q : Tensor):
  %r : Tensor = aten::neg(%p)
  %dim : int = aten::dim(%r)
  %y : Tensor = aten::unsqueeze(%p, %dim)
  return (%y))IR");
}

TEST_F(CopySubgraphTest, RefusesInputFromElsewhereAndLeavesTargetAlone) {
  const ModelGraph source = ModelOf(kShapeOfAnother);
  const auto copy = Copy(source, "aten::unsqueeze");
  EXPECT_EQ(copy.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(copy),
              HasSubstr("it takes what is made of the model's input z, such as "
                        "a mask, besides"));
  ExpectTarget(R"IR(
graph(%p : Tensor, %q : Tensor):
  %r : Tensor = aten::neg(%p)
  return (%r))IR");
}

TEST_F(CopySubgraphTest, RefusesWhatComesFromTheLoopAroundIt) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor, %z : Tensor):
  %true : bool = prim::Constant[value=1]()
  %trips : int = prim::Constant[value=3]()
  %y : Tensor = prim::Loop(%trips, %true, %x)
    block0(%trip : int, %carried : Tensor):
      %dim : int = aten::dim(%carried)
      %next : Tensor = aten::unsqueeze(%x, %dim)
      -> (%true, %next)
  return (%y))IR");
  EXPECT_THAT(MessageOf(Copy(source, "aten::unsqueeze")),
              HasSubstr("what is made of a value of its loop, carried, such"));
}

TEST_F(CopySubgraphTest, RefusesWrongNumberOfInputs) {
  const ModelGraph source = ModelOf(kShapeOfAnother);
  EXPECT_THAT(MessageOf(Copy(source, "aten::unsqueeze", 2)),
              HasSubstr("it takes 1 tensors, and what feeds it has 2"));
}

TEST_F(CopySubgraphTest, RefusesToDrawRandomNumbersAgain) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor, %n : int):
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %sizes : int[] = prim::ListConstruct(%one)
  %random : Tensor = aten::rand(%sizes, %none, %none, %none, %none)
  %dim : int = aten::Int(%random)
  %y : Tensor = aten::unsqueeze(%x, %dim)
  return (%y))IR");
  EXPECT_THAT(MessageOf(Copy(source, "aten::unsqueeze")),
              HasSubstr("aten::rand, which cannot be run twice"));
}

TEST_F(CopySubgraphTest, CopiesInputsOfWhatWorksInPlace) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu_(%x)
  return (%y))IR");
  ReturnCopy(Copy(source, "aten::relu_"));
  const at::Tensor x = -at::ones({3});
  EXPECT_TRUE(Run(x, x).equal(at::zeros({3})));
  EXPECT_TRUE(x.equal(-at::ones({3})));
}

TEST_F(CopySubgraphTest, CopiesWhatFillsAList) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %go : bool = prim::Constant[value=1]()
  %sizes : int[] = prim::ListConstruct()
  %k : int = prim::Loop(%two, %go, %one)
    block0(%i : int, %c : int):
      %same : int[] = aten::append(%sizes, %one)
      -> (%go, %c)
  %y : Tensor = aten::repeat(%x, %sizes)
  %later : int[] = aten::append(%sizes, %two)
  return (%y))IR");
  ReturnCopy(Copy(source, "aten::repeat"));
  EXPECT_EQ(Run(at::ones({3}), at::ones({1})).sizes().vec(),
            (std::vector<int64_t>{1, 3}));
}

// Without the append, the copy would take the mean over all dimensions.
TEST_F(CopySubgraphTest, RefusesAListThatIsFilledInTheControlFlowAroundIt) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor, %p : bool, %q : bool):
  %one : int = prim::Constant[value=1]()
  %no : bool = prim::Constant[value=0]()
  %none : NoneType = prim::Constant()
  %dims : int[] = prim::ListConstruct()
  %r : Tensor = prim::If(%p)
    block0():
      %k : int = prim::If(%q)
        block0():
          %same : int[] = aten::append(%dims, %one)
          -> (%one)
        block1():
          -> (%one)
      %y : Tensor = aten::mean(%x, %dims, %no, %none)
      -> (%y)
    block1():
      -> (%x)
  return (%r))IR");
  EXPECT_THAT(MessageOf(Copy(source, "aten::mean")),
              HasSubstr("is filled in the control flow around the op"));
  ExpectTarget(kTarget);
}

TEST_F(CopySubgraphTest, CopiesWhatFillsADict) {
  const ModelGraph source = OrThrow(ModelGraph::FromModule(
      MakeModule("Repeats",
                 "def forward(self, x: Tensor) -> Tensor:\n"
                 "    sizes: Dict[int, int] = {}\n"
                 "    sizes[0] = 2\n"
                 "    y = x.repeat([sizes[0]])\n"
                 "    sizes[0] = 1\n"
                 "    return y\n")));
  ReturnCopy(Copy(source, "aten::repeat"));
  EXPECT_EQ(Run(at::ones({3}), at::ones({1})).sizes().vec(),
            (std::vector<int64_t>{6}));
}

TEST_F(CopySubgraphTest, CopiesControlFlowWithWhatItTakesFromOutside) {
  const ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor):
  %slope : float = prim::Constant[value=0.5]()
  %two : int = prim::Constant[value=2]()
  %dim : int = aten::dim(%x)
  %is_matrix : bool = aten::eq(%dim, %two)
  %y : Tensor = prim::If(%is_matrix)
    block0():
      %a : Tensor = aten::leaky_relu(%x, %slope)
      -> (%a)
    block1():
      %b : Tensor = aten::leaky_relu(%x, %slope)
      -> (%b)
  return (%y))IR");
  Node* choice = NodeOf(source.graph(), "prim::If");
  Node* base = NodeOf(source.graph(), "aten::leaky_relu");
  const auto copy = CopySubgraph(
      source, {choice, choice, base, {choice}}, *choice->output(),
      {target_.graph().inputs()[1]}, target_, target_.graph().return_node());
  ReturnCopy(copy);
  EXPECT_EQ(copy->subgraph.base, NodeOf(target_.graph(), "aten::leaky_relu"));
  EXPECT_TRUE(Run(-at::ones({3}), at::ones({1})).equal(-at::ones({3}) * 0.5));
}

TEST_F(CopySubgraphTest, BringsAttributesAlongUnderTheirOwnNames) {
  ModelGraph source = ModelOf(R"IR(
graph(%x : Tensor, %d : int):
  %y : Tensor = aten::unsqueeze(%x, %d)
  return (%y))IR");
  source.module().register_attribute("dim", c10::IntType::get(), 1);
  Node* node = NodeOf(source.graph(), "aten::unsqueeze");
  {
    torch::jit::WithInsertPoint at(node);
    node->replaceInput(
        1, source.graph().insertGetAttr(source.graph().inputs()[0], "dim"));
  }
  target_.module().register_attribute("ns_copied_0", c10::IntType::get(), 7);
  ReturnCopy(Copy(source, "aten::unsqueeze"));
  EXPECT_EQ(target_.module().attr("ns_copied_1").toInt(), 1);
  EXPECT_EQ(Run(at::ones({2}), at::ones({1})).sizes().vec(),
            (std::vector<int64_t>{2, 1}));
}

}  // namespace
}  // namespace ns
