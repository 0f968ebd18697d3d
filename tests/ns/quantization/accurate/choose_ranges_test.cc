#include "ns/quantization/accurate/choose_ranges.h"

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/quantization/model/target_mapping.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::torch::jit::Module;

Module Conv(const at::Tensor& weight) {
  return MakeModule("torch.nn.modules.conv.Conv2d",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return torch.conv2d(x, self.weight, None)\n",
                    {{"weight", weight}});
}

// Two convolutions with a relu between them, and a sum.
ModelGraph Net(const at::Tensor& first, const at::Tensor& second) {
  return OrThrow(ModelGraph::FromModule(MakeModel(
      {{"a", Conv(first)}, {"b", Conv(second)}},
      {"y = self.b.forward(torch.relu(self.a.forward(x)))", "return y + y"})));
}

class ChooseRangesTest : public ::testing::Test {
 protected:
  ChooseRangesTest() {
    at::manual_seed(7);
    options_.target = QuantizationTarget::kFbgemmAvx2;
    for (int i = 0; i < 3; ++i) {
      batches_.push_back(at::randn({4, 8, 6, 6}));
    }
  }

  ModelGraph Prepared(const ModelGraph& model) const {
    ModelGraph prepared = OrThrow(PrepareModel(model, options_));
    NS_EXPECT_OK(Calibrate(prepared, BatchesOf(batches_)));
    return prepared;
  }

  RangeChoices Choose(const ModelGraph& model, bool observers = false,
                      bool measures = true) const {
    const ModelGraph prepared = Prepared(model);
    return OrThrow(
        ChooseRanges(model, prepared, OrThrow(TargetMapping(model, options_)),
                     measures ? BatchesOf(batches_) : std::vector<Batch>(),
                     {TargetOf(options_), observers}));
  }

  // The name of the qconfig of each layer that is converted.
  std::map<std::string, std::string> QConfigs(const ModelGraph& prepared) {
    std::map<std::string, std::string> names;
    for (const LayerQuantization& layer :
         OrThrow(ConvertModel(prepared, options_)).report.layers) {
      names[layer.name] = layer.qconfig;
    }
    return names;
  }

  QuantizeOptions options_;
  std::vector<at::Tensor> batches_;
};

constexpr char kNarrow[] = "static 0..127 mse, int8 weight per channel";
constexpr char kWide[] = "static 0..255 mse, int8 weight per channel";
constexpr char kNarrowWeights[] = "static 0..255 mse, int7 weight per channel";

// Weights of -1, 0 and 1 lose nothing with 7 bits, and activations do.
TEST_F(ChooseRangesTest, WeightsThatLoseNothingGetSevenBits) {
  const at::Tensor signs = at::randn({8, 8, 1, 1}).sign();
  const RangeChoices choices = Choose(Net(signs, signs));
  ASSERT_TRUE(choices.prepared);
  const auto qconfigs = QConfigs(*choices.prepared);
  EXPECT_EQ(qconfigs.at("a"), kNarrowWeights);
  EXPECT_EQ(qconfigs.at("b"), kNarrowWeights);
  ASSERT_THAT(choices.tried, Not(IsEmpty()));
  const TriedMethod& tried = choices.tried[0];
  EXPECT_EQ(tried.layer, "a");
  EXPECT_EQ(tried.method, "8-bit activations");
  EXPECT_TRUE(tried.IsKept());
  // A bit is 6 dB, and weights have no error in either way.
  EXPECT_NEAR(tried.with_db - tried.without_db, 6, 0.5);
}

// One of the layers that read what `a` makes never runs: it has no figure.
TEST_F(ChooseRangesTest, LayersThatDoNotRunDoNotCount) {
  const at::Tensor signs = at::randn({8, 8, 1, 1}).sign();
  const RangeChoices choices = Choose(OrThrow(ModelGraph::FromModule(MakeModel(
      {{"a", Conv(signs)}, {"b", Conv(signs)}, {"c", Conv(signs)}},
      {"h = torch.relu(self.a.forward(x))", "y = self.b.forward(h)",
       "if bool(x.sum() > 1e9):", "  y = self.c.forward(h)", "return y"}))));
  ASSERT_TRUE(choices.prepared);
  EXPECT_EQ(QConfigs(*choices.prepared).at("b"), kNarrowWeights);
}

// Activations of 0 and 1 lose nothing with 7 bits, and weights do.
TEST_F(ChooseRangesTest, ActivationsThatLoseNothingKeepSevenBits) {
  for (at::Tensor& batch : batches_) {
    batch = batch.gt(0).to(at::kFloat);
  }
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"a", Conv(at::randn({8, 8, 1, 1}))}},
                {"return torch.softmax(self.a.forward(x) * 0.01, 1)"})));
  const RangeChoices choices = Choose(model);
  const auto qconfigs =
      QConfigs(choices.prepared ? *choices.prepared : Prepared(model));
  EXPECT_EQ(qconfigs.at("a"), kNarrow);
  ASSERT_THAT(choices.tried, Not(IsEmpty()));
  EXPECT_EQ(choices.tried[0].reason, "it gains nothing");
  EXPECT_LT(choices.tried[0].with_db, choices.tried[0].without_db);
}

// Nothing takes the sum, so that no layer could saturate by it.
TEST_F(ChooseRangesTest, WhatNoLayerTakesGetsEightBitsUnmeasured) {
  const ModelGraph model =
      Net(at::randn({8, 8, 1, 1}), at::randn({8, 8, 1, 1}));
  const RangeChoices choices =
      Choose(model, /*observers=*/false, /*measures=*/false);
  EXPECT_THAT(choices.tried, IsEmpty());
  ASSERT_TRUE(choices.prepared);
  const auto qconfigs = QConfigs(*choices.prepared);
  EXPECT_EQ(qconfigs.at("a"), kNarrow);
  EXPECT_EQ(qconfigs.at("add"), kWide);
}

// The least power of two of each channel is so large that no pair sum can leave
// the range of int16.
TEST_F(ChooseRangesTest, LayersThatCannotSaturateGetEightBits) {
  at::Tensor apart = at::zeros({8, 8, 1, 1});
  for (int64_t i = 0; i < 8; ++i) {
    apart[i][i] = 1;
  }
  const RangeChoices choices = Choose(Net(apart, apart), /*observers=*/false,
                                      /*measures=*/false);
  ASSERT_TRUE(choices.prepared);
  const auto qconfigs = QConfigs(*choices.prepared);
  EXPECT_EQ(qconfigs.at("a"), kWide);
  EXPECT_EQ(qconfigs.at("b"), kWide);
}

// What was chosen is what the mapping makes from the start.
TEST_F(ChooseRangesTest, TheMappingSaysTheSame) {
  const ModelGraph model =
      Net(at::randn({8, 8, 1, 1}).sign(), at::randn({8, 8, 1, 1}));
  for (const bool observers : {false, true}) {
    if (observers) {
      options_.observer = ObserverKind::kPercentile;
      batches_[0].view({-1})[0] = 100;
    }
    RangeChoices choices = Choose(model, observers);
    ASSERT_TRUE(choices.prepared);
    QuantizedModel chosen = OrThrow(ConvertModel(*choices.prepared, options_));
    QuantizeOptions mapped = options_;
    mapped.mapping = choices.mapping;
    QuantizedModel again =
        OrThrow(QuantizeModel(model, BatchesOf(batches_), mapped));
    EXPECT_TRUE(Output(chosen.model, batches_[0])
                    .equal(Output(again.model, batches_[0])));
    ASSERT_EQ(chosen.report.layers.size(), again.report.layers.size());
    for (size_t i = 0; i < chosen.report.layers.size(); ++i) {
      EXPECT_EQ(chosen.report.layers[i].qconfig,
                again.report.layers[i].qconfig);
      EXPECT_EQ(chosen.report.layers[i].rule, again.report.layers[i].rule);
    }
    EXPECT_THAT(again.report.unused_rules,
                Not(Contains(HasSubstr("module name"))));
  }
}

// One value far beyond the others in a batch that is not among those measured.
TEST_F(ChooseRangesTest, AnObserverIsChosenByWhatItCosts) {
  options_.target = QuantizationTarget::kExact;
  options_.observer = ObserverKind::kPercentile;
  const ModelGraph model =
      Net(at::randn({8, 8, 1, 1}), at::randn({8, 8, 1, 1}));
  for (at::Tensor& batch : batches_) {
    batch.view({-1})[0] = 100;
  }
  const RangeChoices choices = Choose(model, /*observers=*/true);
  ASSERT_TRUE(choices.prepared);
  // The value is an input of the model, which every batch has: clipping it
  // costs more than rounding the others.
  EXPECT_THAT(QConfigs(*choices.prepared).at("a"),
              Not(HasSubstr("percentile")));
  EXPECT_THAT(choices.tried,
              Contains(Field(&TriedMethod::method, HasSubstr("by minmax"))));
  for (const TriedMethod& tried : choices.tried) {
    if (tried.IsKept()) {
      EXPECT_GT(tried.with_db, tried.without_db);
    }
  }
  EXPECT_THAT(Choose(model).tried, IsEmpty());
}

}  // namespace
}  // namespace ns
