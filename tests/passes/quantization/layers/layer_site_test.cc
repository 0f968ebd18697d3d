#include "passes/quantization/layers/layer_site.h"

#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr char kLinear[] = R"IR(
graph(%x : Tensor, %w : Tensor, %b : NoneType):
  %y : Tensor = aten::linear(%x, %w, %b)
  return (%y))IR";

class LayerSiteTest : public testing::Test {
 protected:
  LayerSite SiteIn(Graph& graph, SharedConstants& constants) {
    return {
        NodeOf(graph, "aten::linear"), "linear", spec_, false, true, constants};
  }

  const ObserverSpec spec_ = DynamicQConfig().weight;
};

TEST_F(LayerSiteTest, FindsArgumentsByName) {
  const auto graph = GraphOf(kLinear);
  EXPECT_EQ(ArgumentIndex(*NodeOf(*graph, "aten::linear"), "bias"), 2);
}

TEST_F(LayerSiteTest, InsertsForALayerOrNotAtAll) {
  const auto graph = GraphOf(kLinear);
  SharedConstants constants(*graph);
  const LayerSite site = SiteIn(*graph, constants);
  const auto insert = [&](bool fails) -> absl::StatusOr<Value*> {
    Value* value = OrThrow(
        InsertOp(*graph, "aten::clamp", {site.node->input(0), 0.0, 6.0}));
    return fails ? absl::StatusOr<Value*>(Refusal("no")) : value;
  };
  EXPECT_EQ(MessageOf(InsertFor(site, [&] { return insert(true); })), "no");
  EXPECT_EQ(AllNodes(*graph).size(), 1);
  Node* clamp = OrThrow(InsertFor(site, [&] { return insert(false); }))->node();
  EXPECT_EQ(clamp->next(), site.node);
  EXPECT_EQ(clamp->scope(), site.node->scope());
}

TEST_F(LayerSiteTest, NamesConstantsAfterWhatTheyAreMadeOf) {
  const auto graph = GraphOf(kLinear);
  AllNodes(*graph)[0]->output()->setDebugName("");
  EXPECT_EQ(NameFor(*AllNodes(*graph)[0]->output(), "packed"), "");
  graph->inputs()[1]->setDebugName("self.fc.weight.1");
  EXPECT_EQ(NameFor(*graph->inputs()[1], "packed"), "self.fc.weight.packed");
}

}  // namespace
}  // namespace ns
