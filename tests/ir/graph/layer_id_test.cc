#include "ir/graph/layer_id.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

class LayerIdTest : public testing::Test {
 protected:
  // Replaces `node` by a sigmoid of its input.
  void ReplaceBySigmoid(Node& node) {
    Value* sigmoid =
        OrThrow(editor_.InsertBefore(node, "aten::sigmoid", {node.input(0)}));
    editor_.ReplaceNode(node, *sigmoid);
  }

  const std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(R"IR(
graph(%x : Tensor, %p : bool):
  %a : Tensor = aten::relu(%x)
  %y : Tensor = prim::If(%p)
    block0():
      %b : Tensor = aten::tanh(%a)
      -> (%b)
    block1():
      -> (%a)
  return (%y))IR");
  Node* const relu_ = NodeOf(*graph_, "aten::relu");
  Node* const tanh_ = NodeOf(*graph_, "aten::tanh");
  PassContext context_;
  GraphEditor editor_{*graph_, &context_};
};

TEST_F(LayerIdTest, IsReadWhereItWasWritten) {
  EXPECT_EQ(LayerIdOf(*relu_), std::nullopt);
  SetLayerId(*relu_, LayerId(3));
  EXPECT_EQ(LayerIdOf(*relu_), LayerId(3));
  EXPECT_EQ(LayerIdOf(*tanh_), std::nullopt);
}

TEST_F(LayerIdTest, CopiesOfTheGraphHaveIt) {
  SetLayerId(*tanh_, LayerId(1));
  const std::shared_ptr<torch::jit::Graph> copy = graph_->copy();
  EXPECT_EQ(LayerIdOf(*NodeOf(*copy, "aten::tanh")), LayerId(1));
  EXPECT_EQ(LayerIdOf(*NodeOf(*copy, "aten::relu")), std::nullopt);
}

TEST_F(LayerIdTest, OpsThatTakeThePlaceHaveIt) {
  SetLayerId(*tanh_, LayerId(1));
  ReplaceBySigmoid(*tanh_);
  EXPECT_EQ(LayerIdOf(*NodeOf(*graph_, "aten::sigmoid")), LayerId(1));
}

TEST_F(LayerIdTest, OpsThatTakeThePlaceOfOthersHaveNone) {
  SetLayerId(*tanh_, LayerId(1));
  ReplaceBySigmoid(*relu_);
  EXPECT_EQ(LayerIdOf(*NodeOf(*graph_, "aten::sigmoid")), std::nullopt);
}

TEST_F(LayerIdTest, OpThatTakesThePlaceOfSeveralHasTheFirst) {
  SetLayerId(*relu_, LayerId(4));
  SetLayerId(*tanh_, LayerId(7));
  Node* both = graph_->create(c10::aten::sigmoid, {graph_->inputs()[0]});
  both->insertBefore(relu_);
  context_.Replaced(*tanh_->output(), *both->output());
  EXPECT_EQ(LayerIdOf(*both), LayerId(7));
  context_.Replaced(*relu_->output(), *both->output());
  EXPECT_EQ(LayerIdOf(*both), LayerId(4));
  context_.Replaced(*tanh_->output(), *both->output());
  EXPECT_EQ(LayerIdOf(*both), LayerId(4));
}

TEST_F(LayerIdTest, ConstantsThatTakeThePlaceHaveNone) {
  SetLayerId(*relu_, LayerId(1));
  Value* constant = graph_->insertConstant(1.5);
  context_.Replaced(*relu_->output(), *constant);
  EXPECT_EQ(LayerIdOf(*constant->node()), std::nullopt);
}

TEST_F(LayerIdTest, GoesWithTheOpThatIsRemoved) {
  SetLayerId(*tanh_, LayerId(1));
  tanh_->output()->replaceAllUsesWith(relu_->output());
  tanh_->destroy();
  for (const Node* node : AllNodes(*graph_)) {
    EXPECT_EQ(LayerIdOf(*node), std::nullopt);
  }
}

class LayerIdOfModelTest : public testing::Test {
 protected:
  static Node& Conv(const ModelGraph& model) {
    return *NodeOf(model.graph(), "aten::conv2d");
  }

  const ModelGraph model_ = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(at::ones({3, 2, 3, 3}))}},
                {"return self.conv.forward(x)"})));
};

TEST_F(LayerIdOfModelTest, ClonesHaveItAndRun) {
  SetLayerId(Conv(model_), LayerId(0));
  ModelGraph clone = OrThrow(model_.Clone());
  EXPECT_EQ(LayerIdOf(Conv(clone)), LayerId(0));
  NS_EXPECT_OK(clone.Run({at::ones({1, 2, 8, 8})}).status());
}

TEST_F(LayerIdOfModelTest, IsNotSaved) {
  const std::string path = TemporaryPath("model.pt");
  NS_ASSERT_OK(model_.Save(path));
  const std::string without = ReadFile(path);
  SetLayerId(Conv(model_), LayerId(0));
  NS_ASSERT_OK(model_.Save(path));
  EXPECT_EQ(ReadFile(path), without);
  const ModelGraph loaded = OrThrow(ModelGraph::FromFile(path));
  EXPECT_EQ(LayerIdOf(Conv(loaded)), std::nullopt);
}

}  // namespace
}  // namespace ns
