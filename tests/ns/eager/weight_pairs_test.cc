#include "ns/eager/weight_pairs.h"

#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

KeyedTensors FloatTensors(const std::vector<std::string>& keys) {
  KeyedTensors tensors;
  for (const std::string& key : keys) {
    tensors.emplace_back(key, at::ones({1}));
  }
  return tensors;
}

// The weight of a cell of the layer "rnn".
ModuleWeight CellWeight(const std::string& cell) {
  ModuleWeight weight;
  weight.key = "rnn._all_weight_values." + cell + ".param";
  weight.holder = WeightHolder::kCellParams;
  weight.path = "rnn";
  weight.parameter = cell;
  weight.values = {at::ones({1}), at::zeros({1})};
  return weight;
}

std::vector<std::string> KeysOf(const WeightPair& pair) {
  std::vector<std::string> keys;
  for (const FloatWeight& weight : pair.of_float) {
    keys.push_back(weight.key);
  }
  return keys;
}

TEST(PairWeightsTest, AFusedLayerIsPairedWithItsChild) {
  ModuleWeight conv;
  conv.key = "conv.weight";
  conv.holder = WeightHolder::kPackedConv;
  conv.path = "conv";
  conv.parameter = "weight";
  conv.values = {at::ones({1})};
  const auto pairs =
      PairWeights(FloatTensors({"conv.0.weight", "fc.weight"}), {conv}, false);
  ASSERT_THAT(pairs, SizeIs(1));
  EXPECT_THAT(KeysOf(pairs[0]), ElementsAre("conv.0.weight"));
}

TEST(PairWeightsTest, CellsOfABidirectionalLayerAlternateTheirDirections) {
  const KeyedTensors tensors = FloatTensors(
      {"rnn.weight_ih_l0", "rnn.weight_hh_l0", "rnn.weight_ih_l0_reverse",
       "rnn.weight_hh_l0_reverse", "rnn.weight_ih_l1", "rnn.weight_hh_l1"});
  const auto pairs = PairWeights(
      tensors, {CellWeight("0"), CellWeight("1"), CellWeight("2")}, false);
  EXPECT_THAT(KeysOf(pairs[0]),
              ElementsAre("rnn.weight_ih_l0", "rnn.weight_hh_l0"));
  EXPECT_THAT(KeysOf(pairs[1]), ElementsAre("rnn.weight_ih_l0_reverse",
                                            "rnn.weight_hh_l0_reverse"));
  EXPECT_THAT(KeysOf(pairs[2]),
              ElementsAre("rnn.weight_ih_l1", "rnn.weight_hh_l1"));
}

TEST(PairWeightsTest, CompatKeepsTheLastWeightOfACell) {
  const auto pairs =
      PairWeights(FloatTensors({"rnn.weight_ih_l0", "rnn.weight_hh_l0"}),
                  {CellWeight("0")}, /*compat=*/true);
  EXPECT_THAT(KeysOf(pairs[0]), ElementsAre("rnn.weight_hh_l0"));
  ASSERT_THAT(pairs[0].quantized.values, SizeIs(1));
  EXPECT_TRUE(pairs[0].quantized.values[0].equal(at::zeros({1})));
}

TEST(PairWeightsTest, WhatTheFloatModelLacksHasNoPartner) {
  const auto pairs =
      PairWeights(FloatTensors({"rnn.weight_ih_l0"}), {CellWeight("0")}, false);
  ASSERT_THAT(pairs, SizeIs(1));
  EXPECT_THAT(pairs[0].of_float, IsEmpty());
  EXPECT_THAT(pairs[0].quantized.values, SizeIs(2));
}

}  // namespace
}  // namespace ns
