#include "ir/graph/graph_editor.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "ir/graph/pass_context.h"
#include "ir/graph/verifier.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kRelu6[] = R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu6(%x)
  %z : Tensor = aten::tanh(%y)
  return (%z))IR";

class GraphEditorTest : public testing::Test {
 protected:
  GraphEditorTest() {
    relu6_->setScope(
        ScopeFor({"block.act", 1, "ReLU6"}, graph_->current_scope()));
    relu6_->output()->setDebugName("y");
  }

  Value* InsertClamp() {
    return OrThrow(editor_.InsertBefore(*relu6_, "aten::clamp",
                                        {relu6_->input(0), 0.0, 6.0}));
  }

  const std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(kRelu6);
  Node* const relu6_ = NodeOf(*graph_, "aten::relu6");
  PassContext context_;
  GraphEditor editor_{*graph_, &context_};
};

TEST_F(GraphEditorTest, WhatTakesAnOpsPlaceKeepsItsPathAndName) {
  editor_.ReplaceNode(*relu6_, *InsertClamp());
  Node* clamp = NodeOf(*graph_, "aten::clamp");
  EXPECT_EQ(clamp->output()->debugName(), "y");
  EXPECT_EQ(CallName(ModulePathOf(*clamp)), "block.act@1");
  EXPECT_EQ(ModulePathOf(*clamp->input(1)->node()).fqn, "block.act");
  EXPECT_EQ(NodeOf(*graph_, "aten::tanh")->input(), clamp->output());
  EXPECT_TRUE(NodesOf(*graph_, "aten::relu6").empty());
  NS_EXPECT_OK(VerifyGraph(*graph_));
}

TEST_F(GraphEditorTest, ListenersHearBeforeTheOldNodeGoes) {
  std::vector<std::string> heard;
  const ScopedReplacementListener listener(
      context_, [&](const Value& old, Value& now) {
        heard.push_back(std::string(old.node()->kind().toQualString()) +
                        " -> " + now.node()->kind().toQualString());
      });
  editor_.ReplaceNode(*relu6_, *InsertClamp());
  EXPECT_THAT(heard, testing::ElementsAre("aten::relu6 -> aten::clamp"));
}

TEST_F(GraphEditorTest, AValueThatHasANameKeepsIt) {
  Value* clamp = InsertClamp();
  clamp->setDebugName("clamped");
  editor_.Replace(*relu6_->output(), *clamp);
  EXPECT_EQ(clamp->debugName(), "clamped");
  EXPECT_EQ(relu6_->output()->debugName(), "y");
  EXPECT_FALSE(relu6_->hasUses());
}

TEST_F(GraphEditorTest, InputsOfTheGraphAreNoNodesToHearOf) {
  bool heard = false;
  const ScopedReplacementListener listener(
      context_, [&](const Value&, Value&) { heard = true; });
  editor_.Replace(*relu6_->output(), *graph_->inputs()[0]);
  EXPECT_FALSE(heard);
  EXPECT_EQ(NodeOf(*graph_, "aten::tanh")->input(), graph_->inputs()[0]);
}

TEST_F(GraphEditorTest, ArgumentsThatNoOverloadTakesAreAnError) {
  const absl::Status status =
      editor_.InsertBefore(*relu6_, "aten::relu6", {1.0, 2.0, 3.0}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("aten::relu6"));
}

TEST_F(GraphEditorTest, PutsANodeMadeElsewhereInItsPlace) {
  Node* sigmoid = graph_->create(c10::aten::sigmoid, {relu6_->input(0)});
  EXPECT_EQ(
      editor_.InsertBefore(*NodeOf(*graph_, "aten::tanh"), sigmoid, *relu6_),
      sigmoid);
  EXPECT_EQ(relu6_->next(), sigmoid);
  EXPECT_EQ(ModulePathOf(*sigmoid).fqn, "block.act");
}

}  // namespace
}  // namespace ns
