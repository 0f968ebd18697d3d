#include "passes/quantization/layers/layer_rule.h"

#include <ATen/Functions.h>

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
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

TEST(LayerRuleTest, DecidesAgainstRulesThatAreThereAlready) {
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"fc", Linear(at::ones({2, 2}))}},
                {"return torch.sigmoid(self.fc.forward(x)) + x"})));
  const std::vector<FloatSubgraph> layers = FindFloatSubgraphs(model.graph());
  ASSERT_EQ(layers.size(), 3);
  for (const char* type : {"aten::linear", "linear", "Linear"}) {
    QConfigMapping mapping;
    mapping.SetModuleNameObjectTypeOrder("fc", type, 0, Fp16QConfig());
    EXPECT_EQ(mapping.Choose(layers[0]).qconfig, Fp16QConfig()) << type;
    SetLayerQConfig(layers, layers[0], DynamicQConfig(), mapping);
    EXPECT_EQ(mapping.Choose(layers[0]).qconfig, DynamicQConfig()) << type;
    SetLayerQConfig(layers, layers[0], std::nullopt, mapping);
    EXPECT_EQ(mapping.Choose(layers[0]).qconfig, std::nullopt) << type;
  }
  for (const char* type : {"aten::sigmoid", "sigmoid", "torch.sigmoid"}) {
    QConfigMapping mapping;
    mapping.SetModuleNameObjectTypeOrder("", type, 0, Fp16QConfig());
    SetLayerQConfig(layers, layers[1], DynamicQConfig(), mapping);
    EXPECT_EQ(mapping.Choose(layers[1]).qconfig, DynamicQConfig()) << type;
  }
}

}  // namespace
}  // namespace ns
