#include "ns/eager/compare_state_dicts.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

StateEntry Tensor(const std::string& key, const at::Tensor& value) {
  return {key, /*is_packed=*/false, {value}};
}

StateEntry Packed(const std::string& key, std::vector<at::Tensor> values) {
  return {key, /*is_packed=*/true, std::move(values)};
}

std::vector<std::string> Names(const ComparisonResult& result) {
  std::vector<std::string> names;
  for (const LayerComparison& layer : result.layers) {
    for (const WeightComparison& weight : layer.weights) {
      names.push_back(layer.name + " " + weight.name);
    }
  }
  return names;
}

std::vector<std::string> Unmatched(const ComparisonResult& result) {
  std::vector<std::string> lines;
  for (const UnmatchedNode& node : result.unmatched) {
    EXPECT_EQ(node.op, "");
    lines.push_back(node.model + " " + node.fqn + ": " + node.reason);
  }
  return lines;
}

class CompareStateDictsTest : public testing::Test {
 protected:
  const at::Tensor ones_ = at::ones({4, 3});
  // 20 dB away.
  const at::Tensor near_ = ones_ * 0.9;
};

TEST_F(CompareStateDictsTest, NamesLayersByModulesAndWeightsAsTheFloatOnes) {
  const StateDict of_float = {
      Tensor("conv.0.weight", ones_),
      Tensor("conv.0.bias", at::ones({4})),
      Tensor("lstm.weight_ih_l0", ones_),
      Tensor("lstm.weight_hh_l0", ones_ * 2),
      Tensor("lstm.weight_ih_l0_reverse", ones_ * 3),
      Tensor("lstm.weight_hh_l0_reverse", ones_ * 4),
      Tensor("cell.weight_ih", ones_ * 5),
      Tensor("cell.weight_hh", ones_ * 6),
      Tensor("emb.weight", ones_ * 7),
      Tensor("fc.weight", ones_ * 8),
  };
  const StateDict of_quantized = {
      Tensor("conv.weight", near_),
      Tensor("conv.scale", at::ones({})),
      Packed("lstm._all_weight_values.0.param", {near_, near_ * 2}),
      Packed("lstm._all_weight_values.1.param", {near_ * 3, near_ * 4}),
      Packed("cell._packed_weight_ih", {near_ * 5}),
      Packed("cell._packed_weight_hh", {near_ * 6}),
      Tensor("emb._packed_params._packed_weight", near_ * 7),
      Packed("fc._packed_params._packed_params", {near_ * 8}),
  };
  const ComparisonResult result =
      OrThrow(CompareStateDicts(of_float, of_quantized));
  EXPECT_EQ(result.matching, "keys");
  EXPECT_THAT(Names(result),
              ElementsAre("conv weight", "lstm weight_ih_l0",
                          "lstm weight_hh_l0", "lstm weight_ih_l0_reverse",
                          "lstm weight_hh_l0_reverse", "cell weight_ih",
                          "cell weight_hh", "emb weight", "fc weight"));
  for (const LayerComparison& layer : result.layers) {
    for (const WeightComparison& weight : layer.weights) {
      EXPECT_NEAR(weight.error.sqnr_db, 20, 1e-4) << layer.name;
      EXPECT_THAT(weight.shape, ElementsAre(4, 3));
    }
  }
  EXPECT_EQ(result.layers[0].float_side.fqn, "conv.0");
  EXPECT_EQ(result.layers[0].quantized_side.fqn, "conv");
  EXPECT_THAT(result.unmatched, IsEmpty());
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST_F(CompareStateDictsTest, ListsWeightsOfOneSideAlone) {
  const StateDict of_float = {Tensor("fc.weight", ones_),
                              Tensor("bn.weight", ones_),
                              Tensor("bn.running_var", ones_)};
  const StateDict of_quantized = {
      Tensor("fc.weight", ones_), Tensor("other.weight", ones_),
      Packed("_packed_weight_0", {ones_}), Packed("odd._packed_params", {})};
  EXPECT_THAT(
      Unmatched(OrThrow(CompareStateDicts(of_float, of_quantized))),
      ElementsAre(
          "float bn.weight: no weight of the quantized state_dict belongs to "
          "this key",
          "quantized other.weight: the float state_dict has no weight of this "
          "key",
          "quantized _packed_weight_0: the float state_dict has no weight of "
          "this key",
          "quantized odd._packed_params: its packed parameters are of a class "
          "that is not read"));
}

TEST_F(CompareStateDictsTest, WarnsOfShapesThatDiffer) {
  const ComparisonResult result = OrThrow(CompareStateDicts(
      {Tensor("a.weight", ones_), Tensor("b.weight", ones_)},
      {Tensor("a.weight", at::ones({3, 4})), Tensor("b.weight", ones_)}));
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("a: shapes of weight differ, [4, 3]")));
  EXPECT_THAT(Names(result), ElementsAre("b weight"));
}

TEST_F(CompareStateDictsTest, MakesHistogramsWhereAskedFor) {
  const StateDict of_float = {Tensor("fc.weight", ones_)};
  const StateDict of_quantized = {
      Packed("fc._packed_params._packed_params", {near_})};
  for (const bool histograms : {false, true}) {
    const ComparisonResult result =
        OrThrow(CompareStateDicts(of_float, of_quantized, histograms));
    ASSERT_THAT(Names(result), ElementsAre("fc weight"));
    const WeightComparison& weight = result.layers[0].weights[0];
    ASSERT_EQ(weight.histograms.has_value(), histograms);
    if (histograms) {
      EXPECT_EQ(weight.histograms->samples, 12);
    }
  }
}

// The model is one torch.nn.Linear.
TEST_F(CompareStateDictsTest, WeightOfTheRootHasItsKeyAsName) {
  const StateDict dict = {Tensor("weight", ones_)};
  const ComparisonResult result = OrThrow(CompareStateDicts(dict, dict));
  ASSERT_THAT(result.layers, SizeIs(1));
  EXPECT_EQ(result.layers[0].name, "weight");
  EXPECT_EQ(result.layers[0].quantized_side.fqn, "");
}

TEST_F(CompareStateDictsTest, RefusesDictsWithNothingInCommon) {
  EXPECT_THAT(MessageOf(CompareStateDicts({Tensor("a.weight", ones_)},
                                          {Tensor("b.weight", ones_)})),
              HasSubstr("no weights in common"));
  EXPECT_FALSE(CompareStateDicts({}, {}).ok());
}

}  // namespace
}  // namespace ns
