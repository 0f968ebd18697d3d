#include "passes/quantization/layer_rule.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model_graph.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

TEST(LayerRuleTest, IsForTheModuleOrForTheOpInIt) {
  const ModelGraph model = OrThrow(
      ModelGraph::FromModule(MakeModel({{"fc", Linear(at::ones({2, 2}))}},
                                       {"x = torch.sigmoid(self.fc.forward(x))",
                                        "return torch.sigmoid(x) + x"})));
  const std::vector<FloatSubgraph> layers = FindFloatSubgraphs(model.graph());
  ASSERT_EQ(layers.size(), 4);
  QConfigMapping mapping;
  mapping.SetGlobal(Int8PerTensorQConfig());
  SetLayerQConfig(layers, layers[0], std::nullopt, mapping);
  SetLayerQConfig(layers, layers[2], std::nullopt, mapping);
  std::vector<std::string> rules;
  for (const FloatSubgraph& layer : layers) {
    rules.push_back(mapping.Choose(layer).rule);
  }
  EXPECT_THAT(rules,
              ElementsAre("module name 'fc'", "global",
                          "object type 'aten::sigmoid' number 1 in module ''",
                          "global"));
}

}  // namespace
}  // namespace ns
