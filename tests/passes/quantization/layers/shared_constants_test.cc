#include "passes/quantization/layers/shared_constants.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;

class SharedConstantsTest : public testing::Test {
 protected:
  // The constant of `tensors`, whose value is the number of those made so far.
  const SharedConstants::Entry* Get(
      const std::vector<at::Tensor>& tensors, const std::string& kind = "kind",
      const ObserverSpec& spec = DynamicQConfig().weight,
      const std::string& name = "") {
    return OrThrow(constants_.Get(
        kind, tensors, spec, *NodeOf(*graph_, "aten::relu"), name, [&] {
          return QuantizedConstant{c10::IValue(++made_), tensors};
        }));
  }

  const std::shared_ptr<torch::jit::Graph> graph_ = GraphOf(R"IR(
graph(%x : Tensor, %p : bool):
  %y : Tensor = prim::If(%p)
    block0():
      %r : Tensor = aten::relu(%x)
      -> (%r)
    block1():
      -> (%x)
  return (%y))IR");
  SharedConstants constants_{*graph_};
  int64_t made_ = 0;
};

TEST_F(SharedConstantsTest, AreMadeOnceOfTheSameMemory) {
  const at::Tensor weight = at::ones({2, 2});
  const SharedConstants::Entry* first = Get({weight, at::Tensor()});
  EXPECT_EQ(Get({weight.detach(), at::Tensor()}), first);
  EXPECT_EQ(first->weights.size(), 2);
  EXPECT_EQ(made_, 1);
}

TEST_F(SharedConstantsTest, DifferInWhatTheyAreMadeOf) {
  const at::Tensor weight = at::ones({2, 2});
  Get({weight, at::Tensor()});
  Get({weight, at::ones({2})});
  Get({weight.t(), at::Tensor()});
  Get({weight.clone(), at::Tensor()});
  Get({weight.view({4}), at::Tensor()});
  EXPECT_EQ(made_, 5);
  Get({weight, at::Tensor()}, "another");
  Get({weight, at::Tensor()}, "kind", Int4WeightsQConfig().weight);
  EXPECT_EQ(made_, 7);
}

TEST_F(SharedConstantsTest, StandInFrontWithNameAndPathOfTheirUser) {
  Node* user = NodeOf(*graph_, "aten::relu");
  torch::jit::Value* value =
      Get({at::ones({1})}, "kind", {}, "fc.packed")->value;
  EXPECT_EQ(*graph_->nodes().begin(), value->node());
  EXPECT_EQ(value->debugName(), "fc.packed");
  EXPECT_EQ(value->node()->scope(), user->scope());
}

TEST_F(SharedConstantsTest, GoWhenNothingUsesThem) {
  const auto* used = Get({at::ones({1})});
  Get({at::ones({1})});
  graph_->registerOutput(used->value);
  constants_.DropUnused();
  EXPECT_EQ(NodesOf(*graph_, "prim::Constant").size(), 1);
}

TEST_F(SharedConstantsTest, AreNotMadeAfterAnError) {
  const auto refuse = [] { return Refusal("no"); };
  EXPECT_EQ(
      MessageOf(constants_.Get("kind", {at::ones({1})}, {},
                               *NodeOf(*graph_, "aten::relu"), "", refuse)),
      "no");
  EXPECT_TRUE(NodesOf(*graph_, "prim::Constant").empty());
}

}  // namespace
}  // namespace ns
