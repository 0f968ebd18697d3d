#include "ns/quantization/accurate/rescale_layers.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::torch::jit::Module;

Module Linear(const at::Tensor& weight) {
  return MakeModule("torch.nn.modules.linear.Linear",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return torch.linear(x, self.weight, None)\n",
                    {{"weight", weight}});
}

class RescaleLayersTest : public ::testing::Test {
 protected:
  RescaleLayersTest() {
    at::manual_seed(7);
    options_.backend = Backend::kQnnpack;
    for (int i = 0; i < 4; ++i) {
      batches_.push_back(at::randn({64, 16}));
    }
  }

  // Two linear layers with a relu between them. One channel of the first is
  // `factor` times as large as the others, and counts as little.
  static ModelGraph Uneven(double factor) {
    at::Tensor first = at::randn({16, 16});
    at::Tensor second = at::randn({8, 16});
    first[3] *= factor;
    second.select(1, 3) /= factor;
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"a", Linear(first)}, {"b", Linear(second)}},
                  {"return self.b.forward(torch.relu(self.a.forward(x)))"})));
  }

  // A layer norm one of whose channels is large, and a linear layer.
  static ModelGraph Outlier(double factor) {
    at::Tensor gamma = at::ones({16});
    gamma[5] = factor;
    at::Tensor weight = at::randn({8, 16}).sign();
    weight.select(1, 5) /= factor;
    const Module norm =
        MakeModule("torch.nn.modules.normalization.LayerNorm",
                   "def forward(self, x: Tensor) -> Tensor:\n"
                   "  return torch.layer_norm(x, [16], self.weight, None)\n",
                   {{"weight", gamma}});
    return OrThrow(ModelGraph::FromModule(
        MakeModel({{"norm", norm}, {"fc", Linear(weight)}},
                  {"return self.fc.forward(self.norm.forward(x))"})));
  }

  RescaledModel Rescale(const ModelGraph& model) const {
    return OrThrow(RescaleWhatHelps(
        model, BatchReader::FromBatches(BatchesOf(batches_)), options_));
  }

  // The SQNR of the outputs once `model` is quantized, on other values.
  double OutputDb(const ModelGraph& model) const {
    const QuantizedModel quantized =
        OrThrow(QuantizeModel(model, BatchesOf(batches_), options_));
    return OrThrow(MeasureOutputErrors(model, quantized.model,
                                       BatchReader::FromBatches(
                                           BatchesOf({at::randn({64, 16})}))))
        .outputs.at(0)
        .sqnr_db;
  }

  QuantizeOptions options_;
  std::vector<at::Tensor> batches_;
};

TEST_F(RescaleLayersTest, EqualizingUnevenWeightsGainsMuch) {
  options_.methods.equalize = true;
  ModelGraph model = Uneven(60);
  RescaledModel rescaled = Rescale(model);
  ASSERT_EQ(rescaled.tried.size(), 1);
  EXPECT_EQ(rescaled.tried[0].layer, "a");
  EXPECT_EQ(rescaled.tried[0].method, "equalization");
  EXPECT_TRUE(rescaled.tried[0].IsKept());
  EXPECT_GT(rescaled.tried[0].with_db, rescaled.tried[0].without_db + 5);
  EXPECT_TRUE(Output(model, batches_[0])
                  .allclose(Output(rescaled.model, batches_[0]), 1e-3, 1e-3));
  EXPECT_GT(OutputDb(rescaled.model), OutputDb(model) + 10);
}

TEST_F(RescaleLayersTest, SmoothingAnOutlierGainsMuch) {
  options_.methods.smooth = true;
  ModelGraph model = Outlier(40);
  RescaledModel rescaled = Rescale(model);
  ASSERT_EQ(rescaled.tried.size(), 1);
  EXPECT_EQ(rescaled.tried[0].layer, "norm");
  EXPECT_EQ(rescaled.tried[0].method, "smoothing");
  EXPECT_TRUE(rescaled.tried[0].IsKept());
  EXPECT_TRUE(Output(model, batches_[0])
                  .allclose(Output(rescaled.model, batches_[0]), 1e-3, 1e-3));
  EXPECT_GT(OutputDb(rescaled.model), OutputDb(model) + 5);
}

// All channels of the norm are alike.
TEST_F(RescaleLayersTest, WhatDoesNotHelpIsNotKept) {
  options_.methods.smooth = true;
  const RescaledModel rescaled = Rescale(Outlier(1));
  ASSERT_EQ(rescaled.tried.size(), 1);
  EXPECT_EQ(rescaled.tried[0].reason, "it gains nothing");
}

// The weights of the second layer have 3 bits, and one of its columns becomes
// three times as large as the others.
TEST_F(RescaleLayersTest, APairWhoseSecondLayerLosesMoreIsNotKept) {
  QConfig coarse = Int8PerTensorQConfig();
  coarse.weight.config.quant_min = -4;
  coarse.weight.config.quant_max = 3;
  options_.mapping.emplace()
      .SetGlobal(Int8PerTensorQConfig())
      .SetModuleName("b", coarse);
  options_.methods.equalize = true;
  at::Tensor first = at::randn({16, 16});
  first[3] *= 8;
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"a", Linear(first)}, {"b", Linear(at::randn({8, 16}).sign())}},
      {"return self.b.forward(torch.relu(self.a.forward(x)))"})));
  RescaledModel rescaled = Rescale(model);
  ASSERT_EQ(rescaled.tried.size(), 1);
  EXPECT_EQ(rescaled.tried[0].reason, "it gains nothing");
  EXPECT_LT(rescaled.tried[0].with_db, rescaled.tried[0].without_db - 1);
  EXPECT_TRUE(
      ConstantOf(*NodeOf(rescaled.model.graph(), "aten::linear")->input(1))
          ->toTensor()
          .equal(first));
}

// A clamp that stays lets the channels alone that it clips, most of the large
// one here; one that is rescaled, a minimum and a maximum, runs in float.
TEST_F(RescaleLayersTest, AClampIsRescaledWhereThatGainsMore) {
  options_.methods.equalize = true;
  at::Tensor first = at::randn({16, 16});
  first[3] *= 60;
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"a", Linear(first)}, {"b", Linear(at::randn({8, 16}))}},
      {"return self.b.forward(torch.clamp(self.a.forward(x), 0., 6.))"})));
  const RescaledModel rescaled = Rescale(model);
  ASSERT_EQ(rescaled.tried.size(), 1);
  EXPECT_TRUE(rescaled.tried[0].IsKept());
  EXPECT_TRUE(AnyNode(rescaled.model.graph().block(), [](const auto* node) {
    return node->kind() == c10::aten::minimum;
  }));
  EXPECT_GT(OutputDb(rescaled.model), OutputDb(model) + 3);
}

// On the batch held back, one channel is beyond what was sampled: the clamp of
// the equalized model would cut it off, which it did not before.
TEST_F(RescaleLayersTest, WhatAClampWouldCutOffCounts) {
  options_.methods.equalize = true;
  at::Tensor first = at::zeros({16, 16});
  first.diagonal().fill_(1);
  first[3] *= 0.02;
  const ModelGraph model = OrThrow(ModelGraph::FromModule(MakeModel(
      {{"a", Linear(first)}, {"b", Linear(at::randn({8, 16}))}},
      {"return self.b.forward(torch.clamp(self.a.forward(x), 0., 6.))"})));
  for (at::Tensor& batch : batches_) {
    batch = at::rand({64, 16});
  }
  batches_.back().select(1, 3) *= 200;
  RescaledModel rescaled = Rescale(model);
  ModelGraph original = OrThrow(model.Clone());
  EXPECT_TRUE(
      Output(original, batches_.back())
          .allclose(Output(rescaled.model, batches_.back()), 0.05, 0.05));
}

TEST_F(RescaleLayersTest, EachModelThatIsTriedIsProgress) {
  options_.methods.equalize = true;
  std::vector<int64_t> seen;
  options_.progress = [&](int64_t done, int64_t total) {
    EXPECT_LE(done, total);
    seen.push_back(done);
  };
  Rescale(Uneven(60));
  EXPECT_THAT(seen, ElementsAre(1, 2));
}

TEST_F(RescaleLayersTest, EvenLayersAreNoPairs) {
  options_.methods.equalize = true;
  const at::Tensor even = at::ones({16, 16});
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"a", Linear(even)}, {"b", Linear(even)}},
                {"return self.b.forward(torch.relu(self.a.forward(x)))"})));
  const RescaledModel rescaled = Rescale(model);
  EXPECT_THAT(rescaled.tried, IsEmpty());
  EXPECT_THAT(rescaled.warnings,
              ElementsAre(HasSubstr("no layers were equalized")));
}

TEST_F(RescaleLayersTest, AModelWithoutANormSaysSo) {
  options_.methods.smooth = true;
  const ModelGraph model = OrThrow(ModelGraph::FromModule(
      MakeModel({{"a", Linear(at::randn({16, 16}))}},
                {"return torch.relu(self.a.forward(x))"})));
  EXPECT_THAT(Rescale(model).warnings,
              ElementsAre(HasSubstr("the model has no layer norm")));
}

TEST_F(RescaleLayersTest, OneBatchIsTooFew) {
  options_.methods.equalize = true;
  batches_.resize(1);
  const RescaledModel rescaled = Rescale(Uneven(60));
  EXPECT_THAT(rescaled.tried, IsEmpty());
  EXPECT_THAT(rescaled.warnings, ElementsAre(HasSubstr("there is one batch")));
}

TEST(HasRescalingTest, IsForCalibratedModels) {
  QuantizeOptions options;
  EXPECT_FALSE(HasRescaling(options));
  options.methods.smooth = true;
  EXPECT_TRUE(HasRescaling(options));
  options.compat = true;
  EXPECT_FALSE(HasRescaling(options));
}

}  // namespace
}  // namespace ns
