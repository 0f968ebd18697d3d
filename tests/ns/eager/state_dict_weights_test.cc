// Tests the functions of module_weights.h that read state dicts.
#include <ATen/Functions.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/eager/module_weights.h"
#include "ns/eager/state_dict.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* NameOf(WeightHolder holder) {
  switch (holder) {
    case WeightHolder::kTensor:
      return "tensor";
    case WeightHolder::kPackedConv:
      return "conv";
    case WeightHolder::kPackedLinear:
      return "linear";
    case WeightHolder::kPackedEmbedding:
      return "embedding";
    case WeightHolder::kPackedCell:
      return "cell";
    case WeightHolder::kCellParams:
      return "params";
  }
  return "?";
}

// "<key>: <holder> <module> <parameter>" of each weight.
std::vector<std::string> Weights(const StateDict& dict) {
  std::vector<std::string> weights;
  for (const ModuleWeight& weight : ModuleWeights(dict)) {
    weights.push_back(absl::StrCat(weight.key, ": ", NameOf(weight.holder),
                                   " '", weight.path, "' ", weight.parameter));
  }
  return weights;
}

StateEntry Tensor(const std::string& key) {
  return {key, /*is_packed=*/false, {at::ones({2})}};
}

StateEntry Packed(const std::string& key) {
  return {key, /*is_packed=*/true, {at::ones({2})}};
}

TEST(StateDictWeightsTest, TensorsCalledWeightAreWeights) {
  EXPECT_THAT(Weights({Tensor("a.conv.weight"), Tensor("a.conv.bias"),
                       Tensor("lstm.weight_ih_l0_reverse"), Tensor("weight"),
                       Tensor("bn.running_mean"), Tensor("weights.other")}),
              ElementsAre("a.conv.weight: tensor 'a.conv' weight",
                          "lstm.weight_ih_l0_reverse: tensor 'lstm' "
                          "weight_ih_l0_reverse",
                          "weight: tensor '' weight"));
}

TEST(StateDictWeightsTest, PackedParametersBelongToTheModuleAroundThem) {
  EXPECT_THAT(
      Weights({Packed("a.fc._packed_params._packed_params"),
               Tensor("emb._packed_params._packed_weight"),
               Packed("cell._packed_weight_ih"),
               Packed("lstm._all_weight_values.3.param"),
               Packed("odd.something")}),
      ElementsAre("a.fc._packed_params._packed_params: linear 'a.fc' weight",
                  "emb._packed_params._packed_weight: embedding 'emb' weight",
                  "cell._packed_weight_ih: cell 'cell' weight_ih",
                  "lstm._all_weight_values.3.param: params 'lstm' 3",
                  "odd.something: linear 'odd' something"));
}

TEST(StateDictWeightsTest, AModelMayBeOneLayer) {
  EXPECT_THAT(Weights({Packed("_packed_params._packed_params")}),
              ElementsAre("_packed_params._packed_params: linear '' weight"));
}

TEST(StateDictWeightsTest, ValuesAreThoseOfTheEntry) {
  StateEntry cell = Packed("lstm._all_weight_values.0.param");
  cell.values.push_back(at::zeros({3}));
  const std::vector<ModuleWeight> weights = ModuleWeights({cell});
  ASSERT_EQ(weights.size(), 1);
  ASSERT_EQ(weights[0].values.size(), 2);
  EXPECT_TRUE(weights[0].values[1].is_same(cell.values[1]));
}

TEST(StateDictWeightsTest, StateTensorsAreThoseThatAreNotPacked) {
  const StateDict dict = {Tensor("fc.scale"), Packed("fc._packed_params"),
                          Tensor("fc.weight")};
  std::vector<std::string> keys;
  for (const auto& [key, tensor] : StateTensors(dict)) {
    keys.push_back(key);
    EXPECT_TRUE(tensor.equal(at::ones({2})));
  }
  EXPECT_THAT(keys, ElementsAre("fc.scale", "fc.weight"));
}

TEST(StateDictWeightsTest, KeysOfDotsAndNothingAreNoWeights) {
  EXPECT_THAT(Weights({Tensor(""), Tensor("."), Tensor("weight."),
                       Tensor("._packed_params._packed")}),
              IsEmpty());
  EXPECT_THAT(Weights({}), IsEmpty());
}

}  // namespace
}  // namespace ns
