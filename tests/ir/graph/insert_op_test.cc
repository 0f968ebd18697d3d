#include "ir/graph/insert_op.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::NamedValue;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kTanh[] = R"IR(
graph(%x : Tensor, %s : str):
  %y : Tensor = aten::tanh(%x)
  return (%y))IR";

class InsertOpTest : public testing::Test {
 protected:
  // Fails the test unless the graph is as it was.
  void ExpectUnchanged() {
    ExpectIr(graph_, kTanh);
    NS_EXPECT_OK(VerifyGraph(*graph_));
  }

  const std::shared_ptr<Graph> graph_ = GraphOf(kTanh);
  Node* const tanh_ = NodeOf(*graph_, "aten::tanh");
  Value* const x_ = graph_->inputs()[0];
  Value* const s_ = graph_->inputs()[1];
  const torch::jit::WithInsertPoint in_front_{tanh_};
};

TEST_F(InsertOpTest, CallsTheOpAtTheInsertionPoint) {
  Value* clamp = OrThrow(InsertOp(*graph_, "aten::clamp", {x_, 0.0, 6.0}));
  tanh_->replaceInput(0, clamp);
  ExpectIr(graph_, R"IR(
graph(%x : Tensor, %s : str):
  %low : float = prim::Constant[value=0.]()
  %high : float = prim::Constant[value=6.]()
  %c : Tensor = aten::clamp(%x, %low, %high)
  %y : Tensor = aten::tanh(%c)
  return (%y))IR");
}

TEST_F(InsertOpTest, GivesArgumentsByName) {
  Value* sum =
      OrThrow(InsertOp(*graph_, "aten::add", {x_, x_}, {{"alpha", 2}}));
  tanh_->replaceInput(0, sum);
  ExpectIr(graph_, R"IR(
graph(%x : Tensor, %s : str):
  %two : int = prim::Constant[value=2]()
  %sum : Tensor = aten::add(%x, %x, %two)
  %y : Tensor = aten::tanh(%sum)
  return (%y))IR");
}

TEST_F(InsertOpTest, SaysWhichArgumentsTheOpDoesNotTake) {
  const absl::Status status =
      InsertOp(*graph_, "aten::clamp", {s_, 0.0, 6.0}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "aten::clamp does not take (str, float, float)");
  ExpectUnchanged();
}

TEST_F(InsertOpTest, SaysWhichNamedArgumentsTheOpDoesNotTake) {
  EXPECT_EQ(MessageOf(InsertOp(*graph_, "aten::add", {x_, x_}, {{"beta", 2}})),
            "aten::add does not take (Tensor, Tensor, beta: int)");
  ExpectUnchanged();
}

TEST_F(InsertOpTest, SaysWhenThereIsNoSuchOp) {
  EXPECT_EQ(MessageOf(InsertOp(*graph_, "aten::thresh", {x_, 1.0})),
            "there is no operator aten::thresh");
  EXPECT_FALSE(InsertOp(*graph_, "no name", {x_}).ok());
  ExpectUnchanged();
}

TEST_F(InsertOpTest, LeavesNoConstantsOfACallThatFails) {
  const at::Tensor trained = at::ones({1}).requires_grad_();
  const auto result = InsertOp(*graph_, "aten::mul", {at::ones({1}), trained});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  ExpectUnchanged();
}

TEST_F(InsertOpTest, PutsANodeWithAnOperatorAtTheInsertionPoint) {
  Node* relu = graph_->create(c10::aten::relu, {x_});
  EXPECT_EQ(OrThrow(InsertNode(relu)), relu);
  EXPECT_EQ(tanh_->prev(), relu);
}

TEST_F(InsertOpTest, RefusesANodeWithoutAnOperator) {
  EXPECT_EQ(MessageOf(InsertNode(graph_->create(c10::aten::relu, {x_, s_}))),
            "aten::relu does not take (Tensor, str)");
  ExpectUnchanged();
}

TEST_F(InsertOpTest, TakesBackAllThatAFailedCallInserted) {
  Node* place = graph_->return_node();
  const auto result = InsertOrTakeBack(*place, [&]() -> absl::StatusOr<Value*> {
    Value* relu = OrThrow(InsertOp(*graph_, "aten::relu", {x_}));
    EXPECT_EQ(relu->node()->next(), place);
    OrThrow(InsertOp(*graph_, "aten::add", {relu, 1}));
    return absl::InternalError("that was it");
  });
  EXPECT_EQ(MessageOf(result), "that was it");
  ExpectUnchanged();
}

TEST_F(InsertOpTest, KeepsWhatACallInserted) {
  Value* relu = OrThrow(InsertOrTakeBack(
      *tanh_, [&] { return InsertOp(*graph_, "aten::relu", {x_}); }));
  EXPECT_EQ(tanh_->prev(), relu->node());
}

}  // namespace
}  // namespace ns
