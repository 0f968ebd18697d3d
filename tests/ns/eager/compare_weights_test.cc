#include "ns/eager/compare_weights.h"

#include <ATen/Functions.h>

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/engines.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::torch::jit::Module;

using Ints = std::vector<int64_t>;

// A module without code.
Module Holder(const std::string& type, const Attributes& attributes,
              const Submodules& submodules = {}) {
  return MakeModule(type, "", attributes, submodules);
}

std::vector<std::string> Keys(const LoggerDict& dict) {
  std::vector<std::string> keys;
  for (const auto& [key, stats] : dict) {
    keys.push_back(key);
  }
  return keys;
}

c10::IValue PackedLinear(const at::Tensor& weight) {
  return CallOp("quantized::linear_prepack",
                {QuantizeWeight(weight), c10::IValue()});
}

c10::IValue PackedCell(const at::Tensor& ih, const at::Tensor& hh) {
  const at::Tensor bias = at::zeros({ih.size(0)});
  return CallOp("quantized::make_quantized_cell_params_dynamic",
                {PackedLinear(ih), PackedLinear(hh), bias, bias, false});
}

class CompareWeightsTest : public EngineTest {
 protected:
  const at::Tensor a_ = at::rand({4, 4});
  const at::Tensor b_ = at::rand({4, 4});
};

TEST_P(CompareWeightsTest, ListsLayersThatStayedFloat) {
  const Module model = Holder("Model", {}, {{"fc", Linear(a_)}});
  const LoggerDict weights = OrThrow(CompareWeights(model, model));
  EXPECT_THAT(Keys(weights), ElementsAre("fc.weight"));
  EXPECT_TRUE(weights[0].second.at("quantized")[0].equal(a_));
}

TEST_P(CompareWeightsTest, FloatModuleMayBeWrappedByFusion) {
  const Module fused = Holder("torch.nn.intrinsic.modules.fused.LinearReLU", {},
                              {{"0", Linear(a_)}, {"1", Relu()}});
  const Module packed =
      Holder("torch.nn.quantized.modules.linear.LinearPackedParams",
             {{"_packed_params", PackedLinear(a_)}});
  const LoggerDict weights = OrThrow(CompareWeights(
      Holder("Model", {}, {{"fc", fused}}),
      Holder("Model", {},
             {{"fc",
               Holder("QuantizedLinear", {}, {{"_packed_params", packed}})}})));
  EXPECT_THAT(Keys(weights), ElementsAre("fc._packed_params._packed_params"));
  EXPECT_TRUE(weights[0].second.at("float")[0].equal(a_));
  EXPECT_TRUE(weights[0].second.at("quantized")[0].equal(QuantizeWeight(a_)));
}

TEST_P(CompareWeightsTest, Conv1dHasShapeOfFloatWeight) {
  const at::Tensor weight = at::rand({2, 3, 5});
  const c10::IValue packed = CallOp("quantized::conv1d_prepack",
                                    {QuantizeWeight(weight), c10::IValue(),
                                     Ints{1}, Ints{0}, Ints{1}, int64_t{1}});
  const LoggerDict weights = OrThrow(CompareWeights(
      Holder("Model", {}, {{"conv", Holder("Conv1d", {{"weight", weight}})}}),
      Holder("Model", {},
             {{"conv", Holder("torch.nn.quantized.modules.conv.Conv1d",
                              {{"_packed_params", packed}})}})));
  EXPECT_THAT(Keys(weights), ElementsAre("conv.weight"));
  EXPECT_EQ(weights[0].second.at("quantized")[0].sizes(), weight.sizes());
}

// The two models of which PyTorch's suite takes "ab.c" for "a.bc".
TEST_P(CompareWeightsTest, CompatTakesPathWithOtherDots) {
  const auto model = [](const Module& ab_c, const Module& a_bc) {
    return Holder("Model", {},
                  {{"ab", Holder("First", {}, {{"c", ab_c}})},
                   {"a", Holder("Second", {}, {{"bc", a_bc}})}});
  };
  const Module pair = model(Linear(a_), Linear(b_));
  const auto of_float = [&](bool compat) {
    return OrThrow(CompareWeights(pair, pair, {compat}))[1].second.at(
        "float")[0];
  };
  EXPECT_TRUE(of_float(false).equal(b_));
  EXPECT_TRUE(of_float(true).equal(a_));
}

// A bidirectional layer has two cells a layer.
TEST_P(CompareWeightsTest, ReverseDirectionIsMissingInCompatAlone) {
  const Module lstm =
      Holder("torch.nn.modules.rnn.LSTM", {{"weight_ih_l0", a_},
                                           {"weight_hh_l0", b_},
                                           {"weight_ih_l0_reverse", b_},
                                           {"weight_hh_l0_reverse", a_}});
  const Module cells =
      Holder("ModuleList", {},
             {{"0", Holder("First", {{"param", PackedCell(a_, b_)}})},
              {"1", Holder("Second", {{"param", PackedCell(b_, a_)}})}});
  const Module of_float = Holder("Model", {}, {{"lstm", lstm}});
  const Module quantized =
      Holder("Model", {},
             {{"lstm", Holder("torch.nn.quantized.dynamic.modules.rnn.LSTM", {},
                              {{"_all_weight_values", cells}})}});
  const LoggerDict right = OrThrow(CompareWeights(of_float, quantized));
  EXPECT_THAT(Keys(right), ElementsAre("lstm._all_weight_values.0.param",
                                       "lstm._all_weight_values.1.param"));
  EXPECT_TRUE(right[1].second.at("float")[0].equal(b_));
  EXPECT_TRUE(right[1].second.at("quantized")[1].equal(QuantizeWeight(a_)));
  const LoggerDict compat =
      OrThrow(CompareWeights(of_float, quantized, {/*compat=*/true}));
  EXPECT_THAT(Keys(compat), ElementsAre("lstm._all_weight_values.0.param"));
  EXPECT_THAT(compat[0].second.at("float"), SizeIs(1));
  EXPECT_TRUE(compat[0].second.at("quantized")[0].equal(QuantizeWeight(b_)));
}

TEST_P(CompareWeightsTest, CellsAndEmbeddingsAreMissingInCompatAlone) {
  const c10::IValue packed_embedding =
      CallOp("quantized::embedding_bag_prepack",
             {at::quantize_per_channel(a_, at::full({4}, 0.01), at::zeros({4}),
                                       0, at::kQUInt8)});
  const Module of_float = Holder(
      "Model", {},
      {{"emb", Holder("Embedding", {{"weight", a_}})},
       {"cell", Holder("LSTMCell", {{"weight_ih", a_}, {"weight_hh", b_}})}});
  const Module quantized = Holder(
      "Model", {},
      {{"emb", Holder("QuantizedEmbedding", {},
                      {{"_packed_params",
                        Holder("EmbeddingPackedParams",
                               {{"_packed_weight", packed_embedding}})}})},
       {"cell",
        Holder("QuantizedCell", {{"_packed_weight_ih", PackedLinear(a_)},
                                 {"_packed_weight_hh", PackedLinear(b_)}})}});
  const LoggerDict weights = OrThrow(CompareWeights(of_float, quantized));
  EXPECT_THAT(Keys(weights),
              ElementsAre("emb._packed_params._packed_weight",
                          "cell._packed_weight_ih", "cell._packed_weight_hh"));
  EXPECT_TRUE(weights[2].second.at("float")[0].equal(b_));
  EXPECT_THAT(OrThrow(CompareWeights(of_float, quantized, {/*compat=*/true})),
              IsEmpty());
}

TEST_P(CompareWeightsTest, WeightsWithoutCounterpartAreLeftOut) {
  EXPECT_THAT(
      OrThrow(CompareWeights(Holder("Model", {}, {{"other", Linear(a_)}}),
                             Holder("Model", {}, {{"fc", Linear(a_)}}))),
      IsEmpty());
}

NS_INSTANTIATE_ON_ENGINES(CompareWeightsTest);

}  // namespace
}  // namespace ns
