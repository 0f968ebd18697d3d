#include "ir/graph/pass_context.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/module_path.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::torch::jit::Node;
using ::torch::jit::Value;

class PassContextTest : public testing::Test {
 protected:
  const std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::tanh(%a)
  return (%b))IR");
  Node* const relu_ = NodeOf(*graph_, "aten::relu");
  Node* const tanh_ = NodeOf(*graph_, "aten::tanh");
  PassContext context_;
};

TEST_F(PassContextTest, RemarksNameTheOpTheCallAndThePass) {
  relu_->setScope(ScopeFor({"block.act", 1, "ReLU"}, graph_->current_scope()));
  context_.set_pass("look");
  context_.Remark(*relu_, "it is fine");
  context_.set_pass("look-again");
  context_.Remark(*tanh_, "so is this");
  ASSERT_EQ(context_.remarks().size(), 2);
  EXPECT_EQ(context_.remarks()[0].op, "aten::relu");
  EXPECT_EQ(context_.remarks()[0].name, "block.act@1");
  EXPECT_EQ(context_.remarks()[0].reason, "it is fine");
  EXPECT_EQ(context_.remarks()[0].pass, "look");
  EXPECT_EQ(context_.remarks()[1].pass, "look-again");
}

TEST_F(PassContextTest, ListenersHearInOrderWhileTheyLive) {
  std::vector<std::string> heard;
  const auto note = [&heard](const std::string& who) {
    return [&heard, who](const Value& old, Value& now) {
      heard.push_back(who + ": " + old.node()->kind().toUnqualString() +
                      " -> " + now.node()->kind().toUnqualString());
    };
  };
  const ScopedReplacementListener outer(context_, note("outer"));
  {
    const ScopedReplacementListener inner(context_, note("inner"));
    context_.Replaced(*relu_->output(), *tanh_->output());
  }
  context_.Replaced(*tanh_->output(), *relu_->output());
  EXPECT_THAT(heard, ElementsAre("outer: relu -> tanh", "inner: relu -> tanh",
                                 "outer: tanh -> relu"));
}

}  // namespace
}  // namespace ns
