#include "ns/search/noise_model.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/calibrated_values.h"
#include "ns/search/search_space.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A noise model of FloatModel(body), which has run over some batches.
class Predicted {
 public:
  Predicted(const std::vector<std::string>& body,
            const std::vector<at::Tensor>& batches,
            const QuantizeOptions& options,
            const std::vector<std::string>& candidates = {})
      : model_(FloatModel(body)),
        batches_(BatchesOf(batches)),
        options_(options) {
    std::vector<SkippedChoice> skipped;
    space_ = std::make_unique<SearchSpace>(OrThrow(SearchSpace::Create(
        model_, options,
        OrThrow(SearchCandidates(model_, options, candidates, skipped)))));
    values_ = std::make_unique<CalibratedValues>(
        OrThrow(CalibratedValues::Create(*space_)));
    NS_EXPECT_OK(values_->Calibrate(BatchReader::FromBatches(batches_)));
    noise_ = std::make_unique<NoiseModel>(
        OrThrow(NoiseModel::Create(*space_, *values_)));
    noise_->SetProjections(8);
    for (size_t i = 0; i < batches_.size(); ++i) {
      NS_EXPECT_OK(noise_->Run(batches_[i], static_cast<int64_t>(i)).status());
    }
  }

  const SearchSpace& space() const { return *space_; }
  const CalibratedValues& values() const { return *values_; }
  const NoiseModel& noise() const { return *noise_; }

  double PredictedDb(const RecipeChoices& choices) const {
    return -10 * std::log10(noise_->NoiseOf(space_->PlanOf(choices)));
  }

  // Of the model that QuantizeModel makes of the recipe.
  double MeasuredDb(const RecipeChoices& choices) {
    QuantizedModel quantized =
        OrThrow(QuantizeModel(model_, batches_, space_->OptionsOf(choices)));
    double error = 0;
    double signal = 0;
    for (const Batch& batch : batches_) {
      const at::Tensor x = Output(model_, batch.arguments[0].toTensor());
      const at::Tensor y =
          Output(quantized.model, batch.arguments[0].toTensor());
      error += (x - y).square().sum().item<double>();
      signal += x.square().sum().item<double>();
    }
    return -10 * std::log10(error / signal);
  }

  // All recipes of a model with few layers.
  void ExpectAllWithin(double db) {
    const size_t layers = space_->layers().size();
    for (size_t bits = 1; bits < (size_t{1} << layers); ++bits) {
      RecipeChoices choices;
      for (size_t i = 0; i < layers; ++i) {
        choices.push_back((bits >> i) & 1);
      }
      const double predicted = PredictedDb(choices);
      const double measured = MeasuredDb(choices);
      // Layers whose inputs nobody rounds may stay float: then there is none.
      if (std::isinf(predicted) || std::isinf(measured)) {
        EXPECT_EQ(predicted, measured) << ::testing::PrintToString(choices);
      } else {
        EXPECT_NEAR(predicted, measured, db)
            << ::testing::PrintToString(choices);
      }
    }
  }

 private:
  ModelGraph model_;
  std::vector<Batch> batches_;
  QuantizeOptions options_;
  std::unique_ptr<SearchSpace> space_;
  std::unique_ptr<CalibratedValues> values_;
  std::unique_ptr<NoiseModel> noise_;
};

std::vector<at::Tensor> Images(int count, double mean = 0) {
  std::vector<at::Tensor> images;
  for (int i = 0; i < count; ++i) {
    images.push_back(at::randn({8, 3, 8, 8}) + mean);
  }
  return images;
}

class NoiseModelTest : public ::testing::Test {
 protected:
  NoiseModelTest() { at::manual_seed(11); }
};

// The output has as many elements as there are vectors: the prediction is the
// power of the error itself.
TEST_F(NoiseModelTest, IsExactForOneLinearLayer) {
  const at::Tensor x = at::randn({64, 3});
  const Predicted predicted({absl::StrCat("return ", LinearOf("x"))}, {x}, {});
  const ObserverPlan plan = predicted.space().PlanOf({1});
  ASSERT_EQ(plan.layers.size(), 1);
  const auto rounded = [&](const at::Tensor& value, int observer) {
    const QParams qparams =
        predicted.values().Answer(plan, observer)->value().qparams;
    return at::fake_quantize_per_tensor_affine(value, qparams.scale,
                                               qparams.zero_point, 0, 255);
  };
  ModelGraph model = FloatModel({absl::StrCat("return ", LinearOf("x"))});
  const at::Tensor y = Output(model, x);
  const at::Tensor bias = Output(model, at::zeros({1, 3}));
  const at::Tensor weight = (Output(model, at::eye(3)) - bias).t();
  // Symmetric, with a scale for each row, -127..127.
  const at::Tensor scale = weight.abs().amax(1, true) / 127;
  const at::Tensor quantized =
      rounded(rounded(x, plan.layers[0].inputs[0])
                      .matmul(((weight / scale).round() * scale).t()) +
                  bias,
              plan.layers[0].output);
  const double expected =
      ((quantized - y).square().sum() / y.square().sum()).item<double>();
  EXPECT_NEAR(predicted.noise().NoiseOf(plan) / expected, 1, 1e-3);
  EXPECT_NEAR(predicted.noise().NoiseOfLayer(plan, 0) / expected, 1, 1e-3);
}

TEST_F(NoiseModelTest, FloatModelsHaveNoNoise) {
  const Predicted predicted({absl::StrCat("return ", LinearOf("x"))},
                            {at::randn({8, 3})}, {});
  EXPECT_EQ(predicted.noise().NoiseOf(predicted.space().PlanOf({0})), 0);
}

TEST_F(NoiseModelTest, ForeseesLayersBehindEachOther) {
  Predicted predicted({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                       absl::StrCat("return ", ConvOf("y"))},
                      Images(2), {});
  ASSERT_EQ(predicted.space().layers().size(), 2);
  predicted.ExpectAllWithin(1);
}

// The first value is used three times: as a whole, and by edges where its own
// layer is float.
TEST_F(NoiseModelTest, ForeseesReuseAndSums) {
  Predicted predicted({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                       absl::StrCat("z = ", ConvOf("y")), "s = z + y",
                       "return torch.sigmoid(y) * s"},
                      Images(2), {});
  ASSERT_GE(predicted.space().layers().size(), 4);
  predicted.ExpectAllWithin(1);
}

// Pools and reshapes round nothing, and what a clamp cuts off is no error.
TEST_F(NoiseModelTest, ForeseesPoolsAndClamps) {
  Predicted predicted(
      {absl::StrCat("y = torch.max_pool2d(", ConvOf("x"), ", [2, 2])"),
       absl::StrCat("z = torch.hardtanh(", ConvOf("y"), ", 0.0, 60.0)"),
       absl::StrCat("return ", ConvOf("z"))},
      Images(8), {});
  predicted.ExpectAllWithin(1);
}

// The values of a concatenation share a scale.
TEST_F(NoiseModelTest, ForeseesConcatenations) {
  Predicted predicted({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                       absl::StrCat("z = torch.relu(", ConvOf("y"), ")"),
                       absl::StrCat("return ", ConvOf("torch.cat([y, z], 2)"))},
                      Images(2), {});
  const RecipeChoices all(predicted.space().layers().size(), 1);
  EXPECT_NEAR(predicted.PredictedDb(all), predicted.MeasuredDb(all), 0.5);
}

// Those of one candidate have the scale that another one has chosen.
TEST_F(NoiseModelTest, ForeseesConcatenationsOfSeveralCandidates) {
  QuantizeOptions options;
  options.target = QuantizationTarget::kExact;
  Predicted predicted({absl::StrCat("y = torch.relu(", ConvOf("x"), ")"),
                       absl::StrCat("z = torch.relu(", ConvOf("x * 0.5"), ")"),
                       "return torch.cat([y, z], 2)"},
                      Images(2), options, {"fbgemm", "int8-per-tensor"});
  ASSERT_EQ(predicted.space().layers().size(), 4);
  for (const RecipeChoices& choices :
       {RecipeChoices{1, 0, 2, 1}, RecipeChoices{2, 0, 1, 2},
        RecipeChoices{0, 0, 2, 1}, RecipeChoices{1, 2, 2, 0}}) {
    EXPECT_NEAR(predicted.PredictedDb(choices), predicted.MeasuredDb(choices),
                1.5)
        << ::testing::PrintToString(choices);
  }
}

TEST_F(NoiseModelTest, ForeseesBranchesAndLoops) {
  Predicted predicted(
      {absl::StrCat("y = ", ConvOf("x")), "if bool(x.sum() > 0.0):",
       absl::StrCat("  y = torch.relu(", ConvOf("y"), ")"),
       "else:", "  y = torch.tanh(y)", "for i in range(2):",
       absl::StrCat("  y = ", ConvOf("y"), " * 0.1"), "return y"},
      {at::randn({8, 3, 8, 8}).abs(), -at::randn({8, 3, 8, 8}).abs()}, {});
  const RecipeChoices all(predicted.space().layers().size(), 1);
  EXPECT_NEAR(predicted.PredictedDb(all), predicted.MeasuredDb(all), 1.5);
}

// A layer's bias makes up for a rounded weight where values are not around 0.
TEST_F(NoiseModelTest, CorrectedBiasesMakeLessNoise) {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.weight.config.quant_min = -4;
  qconfig.weight.config.quant_max = 3;
  QuantizeOptions options = Everywhere(qconfig);
  const std::vector<std::string> body = {absl::StrCat("return ", ConvOf("x"))};
  const std::vector<at::Tensor> images = Images(3, 2);
  const Predicted plain(body, images, options);
  options.methods.bias_correction = BiasCorrection::kFast;
  const Predicted corrected(body, images, options);
  const ObserverPlan plan = corrected.space().PlanOf({1});
  EXPECT_THAT(corrected.noise().CorrectedLayers(plan),
              ElementsAre(plan.layers[0].name));
  EXPECT_THAT(plain.noise().CorrectedLayers(plan), IsEmpty());
  EXPECT_LT(corrected.noise().NoiseOf(plan),
            0.8 * plain.noise().NoiseOf(plain.space().PlanOf({1})));
}

// Both convolutions are the same, and so are their errors.
TEST_F(NoiseModelTest, ErrorsAddUpButDoNotCancel) {
  const std::vector<at::Tensor> images = Images(4);
  // The noise of both over the sum of what each makes alone.
  const auto together = [&](const char* output) {
    const Predicted predicted({absl::StrCat("y = ", ConvOf("x")),
                               absl::StrCat("z = ", ConvOf("x")), output},
                              images, {});
    const auto noise_of = [&](int y, int z) {
      RecipeChoices choices(predicted.space().layers().size(), 0);
      choices[0] = y;
      choices[1] = z;
      return predicted.noise().NoiseOf(predicted.space().PlanOf(choices));
    };
    return noise_of(1, 1) / (noise_of(1, 0) + noise_of(0, 1));
  };
  EXPECT_NEAR(together("return y * 2.0 + z"), (2 + 1) * (2 + 1) / 5.0, 1e-3);
  EXPECT_NEAR(together("return y * 2.0 - z"), 1, 1e-3);
}

// Where the root is 0, its derivative is infinite.
TEST_F(NoiseModelTest, AnInfiniteDerivativeIsNotTakenForNoNoise) {
  const Predicted predicted(
      {absl::StrCat("y = torch.relu(", LinearOf("x"), ")"),
       "return torch.sqrt(y)"},
      {at::randn({64, 3})}, {});
  EXPECT_GT(predicted.noise().NoiseOf(predicted.space().PlanOf({1})), 1e-6);
}

// The quantized sigmoid gives zeros, and 0 / 0 is nan.
TEST_F(NoiseModelTest, NanInTheNoisyRunIsNotTakenForNoNoise) {
  const Predicted predicted(
      {absl::StrCat("s = torch.sigmoid(", LinearOf("x"), ")"),
       "return s / s + s"},
      {at::randn({64, 3}) * 8}, {});
  const RecipeChoices all(predicted.space().layers().size(), 1);
  const double noise = predicted.noise().NoiseOf(predicted.space().PlanOf(all));
  EXPECT_GT(noise, 1e-6);
  EXPECT_TRUE(std::isfinite(noise));
}

TEST_F(NoiseModelTest, TakesEmptyBatchesAndHalfOutputs) {
  const Predicted predicted(
      {absl::StrCat("y = ", LinearOf("x")), "return y.half(), y.double()"},
      {at::randn({16, 3}), at::randn({0, 3}), at::randn({16, 3})}, {});
  const double noise = predicted.noise().NoiseOf(predicted.space().PlanOf({1}));
  EXPECT_GT(noise, 1e-7);
  EXPECT_LT(noise, 1e-2);
}

// The run with noise must not change what the run in float begins with.
TEST_F(NoiseModelTest, BothRunsHaveTheSameState) {
  Predicted predicted(
      {"self.gamma.add_(1.0)",
       "return torch.linear(x + self.gamma, self.w, self.b)"},
      {at::randn({64, 3}), at::randn({64, 3}), at::randn({64, 3})}, {});
  predicted.ExpectAllWithin(0.5);
}

// What is kept has gradients, which end with the batch.
TEST_F(NoiseModelTest, StateThatIsComputedIsTaken) {
  Predicted predicted(
      {absl::StrCat("y = ", LinearOf("x")),
       "h = torch.erf(self.gamma) + y.mean(0)", "self.gamma = h",
       "return torch.erf(y) + h"},
      {at::randn({64, 3}), at::randn({64, 3}), at::randn({64, 3})}, {});
  EXPECT_TRUE(std::isfinite(predicted.PredictedDb(
      RecipeChoices(predicted.space().layers().size(), 1))));
}

TEST_F(NoiseModelTest, RefusesOutputsThatAreNotFinite) {
  const QuantizeOptions options;
  std::vector<SkippedChoice> skipped;
  const ModelGraph model =
      FloatModel({absl::StrCat("return torch.log(", LinearOf("x"), ")")});
  const SearchSpace space = OrThrow(SearchSpace::Create(
      model, options, OrThrow(SearchCandidates(model, options, {}, skipped))));
  CalibratedValues values = OrThrow(CalibratedValues::Create(space));
  const std::vector<Batch> batches = BatchesOf({at::randn({8, 3}) * 9});
  NS_ASSERT_OK(values.Calibrate(BatchReader::FromBatches(batches)));
  NoiseModel noise = OrThrow(NoiseModel::Create(space, values));
  EXPECT_THAT(noise.Run(batches[0], 0).status().message(),
              HasSubstr("nan or infinite"));
  EXPECT_THAT(noise.Run({{c10::IValue(3)}, {}}, 4).status().message(),
              HasSubstr("batch 4"));
}

}  // namespace
}  // namespace ns
