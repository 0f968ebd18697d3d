#include "ns/quantization/accurate/round_layers.h"

#include <ATen/ATen.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/layer_errors.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::vector<std::string> kThreeLayers = {
    "y = torch.relu(torch.conv2d(x, self.w2, self.b))",
    "y = torch.conv2d(y, self.w2, None, [2, 2], [1, 1])",
    "return torch.linear(y.transpose(1, 3), self.w, self.b)"};

class RoundLayersTest : public ::testing::Test {
 protected:
  RoundLayersTest() {
    at::manual_seed(5);
    x_ = at::rand({16, 3, 8, 8}) + 1;
    QConfig qconfig = Int8PerTensorQConfig();
    qconfig.weight.config.quant_min = -4;
    qconfig.weight.config.quant_max = 3;
    options_ = Everywhere(qconfig);
  }

  ModelGraph Prepared(const ModelGraph& model) const {
    ModelGraph prepared = OrThrow(PrepareModel(model, options_));
    NS_EXPECT_OK(Calibrate(prepared, BatchesOf({x_})));
    return prepared;
  }

  // Drawn once the generator has its seed.
  at::Tensor x_;
  QuantizeOptions options_;
};

TEST_F(RoundLayersTest, EachLayerLosesLess) {
  const ModelGraph model = FloatModel(kThreeLayers);
  const ModelGraph prepared = Prepared(model);
  std::vector<int64_t> seen;
  LayerCorrections corrections;
  corrections.weights = OrThrow(RoundLayers(prepared, BatchesOf({x_}), 300,
                                            [&](int64_t done, int64_t total) {
                                              EXPECT_EQ(total, 900);
                                              seen.push_back(done);
                                            }));
  EXPECT_EQ(seen.back(), 900);
  const auto errors = [&](const LayerCorrections& with) {
    return OrThrow(LayerErrors(
        model, OrThrow(ConvertModel(prepared, options_, with)).model,
        BatchesOf({at::rand({16, 3, 8, 8}) + 1})));
  };
  const auto nearest = errors({});
  const auto rounded = errors(corrections);
  ASSERT_FALSE(corrections.weights.empty());
  for (const auto& [layer, weight] : corrections.weights) {
    EXPECT_GT(rounded.at(layer), nearest.at(layer) + 1) << layer;
  }
}

TEST_F(RoundLayersTest, OtherLayersAreLeftOut) {
  const ModelGraph prepared = Prepared(FloatModel(
      {"y = torch.conv_transpose2d(x, self.w2, self.b)", "return y + y"}));
  EXPECT_THAT(OrThrow(RoundLayers(prepared, BatchesOf({x_}), 10)), IsEmpty());
}

// The second arm never runs.
TEST_F(RoundLayersTest, LayersThatNeverRunAreLeftOut) {
  const ModelGraph prepared = Prepared(FloatModel(
      {"y = torch.conv2d(x, self.w2, self.b)", "if bool(y.sum() > 1e6):",
       "  y = torch.conv2d(y, self.w2, self.b) + 1", "return y"}));
  EXPECT_LE(OrThrow(RoundLayers(prepared, BatchesOf({x_}), 50)).size(), 1);
}

// The first has no samples, and the second no error that could be less.
TEST_F(RoundLayersTest, LayersThatTakeNoStepsCountAsDone) {
  const ModelGraph prepared =
      Prepared(FloatModel({"return torch.conv2d(x, self.w2, self.b)"}));
  for (const float value : {std::numeric_limits<float>::infinity(), 0.0F}) {
    std::vector<std::pair<int64_t, int64_t>> seen;
    EXPECT_THAT(
        OrThrow(RoundLayers(prepared, BatchesOf({at::full_like(x_, value)}), 10,
                            [&](int64_t done, int64_t total) {
                              seen.emplace_back(done, total);
                            })),
        IsEmpty());
    EXPECT_THAT(seen, ElementsAre(Pair(10, 10)));
  }
}

TEST_F(RoundLayersTest, ImagesOfOtherSizesAreLeftOut) {
  const ModelGraph prepared = Prepared(FloatModel(kThreeLayers));
  EXPECT_FALSE(
      OrThrow(RoundLayers(prepared, BatchesOf({x_, x_.slice(3, 0, 6)}), 300))
          .empty());
}

TEST_F(RoundLayersTest, OneLayerOfSeveralSizesIsRounded) {
  const ModelGraph prepared = Prepared(FloatModel(
      {"for i in range(x.size(0) // 8):",
       "  x = torch.conv2d(x, self.w2, self.b, [2, 2], [1, 1])", "return x"}));
  NS_EXPECT_OK(RoundLayers(prepared, BatchesOf({x_}), 300).status());
}

TEST_F(RoundLayersTest, OtherModelsAreErrors) {
  EXPECT_FALSE(RoundLayers(FloatModel({"return x"}), BatchesOf({x_}), 1).ok());
  EXPECT_FALSE(RoundLayers(Prepared(FloatModel({"return " + ConvOf("x")})),
                           BatchesOf({at::ones({2})}), 1)
                   .ok());
}

}  // namespace
}  // namespace ns
