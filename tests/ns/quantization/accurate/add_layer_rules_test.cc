#include "ns/quantization/accurate/add_layer_rules.h"

#include <ATen/Functions.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;

class AddLayerRulesTest : public ::testing::Test {
 protected:
  AddLayerRulesTest()
      : record_(OrThrow(AttachedPreparedModel(
            OrThrow(PrepareModel(model_, Everywhere(Int8PerTensorQConfig())))
                .module()))) {
    mapping_.SetGlobal(Int8PerTensorQConfig());
  }

  const ModelGraph model_ =
      FloatModel({"y = torch.conv2d(x, self.w2, self.b)", "return y + y"});
  const PreparedModel record_;
  QConfigMapping mapping_;
};

TEST_F(AddLayerRulesTest, LayersThatDifferGetRules) {
  LayerChoices choices;
  choices.activations[0] = Int8PerTensorQConfig().activation.config;
  choices.activations[1] = choices.activations[0];
  choices.activations[1].reduce_range = true;
  const auto rules = OrThrow(AddLayerRules(model_, record_, choices, mapping_));
  ASSERT_THAT(rules, ElementsAre(Key(1)));
  EXPECT_EQ(rules.at(1).rule, "object type 'aten::add' number 0 in module ''");
  EXPECT_TRUE(rules.at(1).qconfig->activation.config.reduce_range);
  EXPECT_EQ(mapping_.Rules().size(), 2);
  // They say so already.
  EXPECT_THAT(OrThrow(AddLayerRules(model_, record_, choices, mapping_)),
              IsEmpty());
}

TEST_F(AddLayerRulesTest, OfWeightsTheIntegersAreTaken) {
  LayerChoices choices;
  ObserverConfig weight = DefaultConfig(ObserverKind::kPerChannelMinMax);
  weight.quant_min = -3;
  weight.quant_max = 4;
  choices.weights[0] = weight;
  const auto rules = OrThrow(AddLayerRules(model_, record_, choices, mapping_));
  ASSERT_THAT(rules, ElementsAre(Key(0)));
  const ObserverConfig& config = rules.at(0).qconfig->weight.config;
  EXPECT_EQ(config.quant_min, -3);
  EXPECT_EQ(config.quant_max, 4);
  EXPECT_EQ(config.qscheme, Int8PerTensorQConfig().weight.config.qscheme);
}

TEST_F(AddLayerRulesTest, LayersThatTheMappingLeavesInFloatGetNone) {
  QConfigMapping none;
  LayerChoices choices;
  choices.activations[0] = DefaultConfig(ObserverKind::kMse);
  EXPECT_THAT(OrThrow(AddLayerRules(model_, record_, choices, none)),
              IsEmpty());
}

}  // namespace
}  // namespace ns
