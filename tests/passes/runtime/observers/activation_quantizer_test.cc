#include "passes/runtime/observers/activation_quantizer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <limits>
#include <sstream>

#include "gtest/gtest.h"
#include "passes/runtime/observers/qparams.h"

namespace ns {
namespace {

ActivationConfig ConfigOf(ActivationScheme scheme) {
  ActivationConfig config;
  config.scheme = scheme;
  return config;
}

at::Tensor QuantizedAs(const at::Tensor& x, float min, float max) {
  const QParams qparams = ChooseQParams(min, max, 0, 255, false);
  return at::quantize_per_tensor(x, qparams.scale, qparams.zero_point,
                                 at::kQUInt8)
      .dequantize();
}

class ActivationQuantizerTest : public testing::Test {
 protected:
  ActivationQuantizerTest() { at::manual_seed(1); }

  const at::Tensor x_ = at::linspace(-1, 2, 50);
};

TEST_F(ActivationQuantizerTest, HandsOnItsValueUntilConverted) {
  ActivationQuantizer quantizer(ConfigOf(ActivationScheme::kStatic));
  quantizer.Observe(x_);
  EXPECT_TRUE(quantizer.Quantize(x_).is_same(x_));
  EXPECT_FALSE(quantizer.IsConverted());
  quantizer.Convert();
  EXPECT_FALSE(quantizer.Quantize(x_).equal(x_));
}

TEST_F(ActivationQuantizerTest, StaticUsesTheRangeOfAllBatches) {
  ActivationQuantizer quantizer(ConfigOf(ActivationScheme::kStatic));
  quantizer.Observe(x_);
  quantizer.Observe(x_ * 4);
  quantizer.Observe(x_ - 3);
  quantizer.Convert();
  EXPECT_TRUE(quantizer.Quantize(x_).equal(QuantizedAs(x_, -4, 8)));
  // Beyond the range, values are clipped.
  EXPECT_NEAR(quantizer.Quantize(x_ * 100).max().item<double>(), 8, 0.05);
}

TEST_F(ActivationQuantizerTest, ConvertedIgnoresWhatItObserves) {
  ActivationQuantizer quantizer(ConfigOf(ActivationScheme::kStatic));
  quantizer.Observe(x_);
  quantizer.Convert();
  const at::Tensor before = quantizer.Quantize(x_);
  quantizer.Observe(x_ * 100);
  EXPECT_TRUE(quantizer.Quantize(x_).equal(before));
  EXPECT_FLOAT_EQ(quantizer.Calibrated().scale, 3.0 / 255);
}

TEST_F(ActivationQuantizerTest, HistogramClipsOutliers) {
  ActivationConfig config = ConfigOf(ActivationScheme::kStatic);
  config.observer = ActivationObserver::kHistogram;
  ActivationQuantizer quantizer(config);
  quantizer.Observe(at::cat({at::randn({1000000}), at::full({1}, 40.0)}));
  EXPECT_LT(quantizer.Calibrated().scale, 20.0 / 255);
}

TEST_F(ActivationQuantizerTest, DynamicUsesTheRangeOfEachTensor) {
  ActivationQuantizer quantizer(ConfigOf(ActivationScheme::kDynamic));
  quantizer.Observe(x_ * 100);
  EXPECT_FALSE(quantizer.HasSeenValues());
  quantizer.Convert();
  EXPECT_TRUE(quantizer.Quantize(x_).equal(QuantizedAs(x_, -1, 2)));
  EXPECT_TRUE(quantizer.Quantize(x_ * 4).equal(QuantizedAs(x_ * 4, -4, 8)));
}

TEST_F(ActivationQuantizerTest, PlaceThatCalibrationMissedUsesItsOwnRange) {
  ActivationQuantizer quantizer(ConfigOf(ActivationScheme::kStatic));
  quantizer.Convert();
  EXPECT_TRUE(quantizer.Quantize(x_).equal(QuantizedAs(x_, -1, 2)));
}

TEST_F(ActivationQuantizerTest, HalfRounds) {
  ActivationQuantizer quantizer(ConfigOf(ActivationScheme::kHalf));
  quantizer.Convert();
  EXPECT_TRUE(quantizer.Quantize(x_).equal(x_.to(at::kHalf).to(at::kFloat)));
}

TEST_F(ActivationQuantizerTest, KeepsDtypeAndLeavesIndicesAlone) {
  for (const ActivationScheme scheme :
       {ActivationScheme::kStatic, ActivationScheme::kDynamic,
        ActivationScheme::kHalf}) {
    ActivationQuantizer quantizer(ConfigOf(scheme));
    const at::Tensor indices = at::arange(5);
    quantizer.Observe(indices);
    quantizer.Observe(at::empty({0}));
    EXPECT_FALSE(quantizer.HasSeenValues());
    quantizer.Observe(x_.to(at::kDouble));
    quantizer.Convert();
    EXPECT_TRUE(quantizer.Quantize(indices).is_same(indices));
    EXPECT_EQ(quantizer.Quantize(x_.to(at::kDouble)).scalar_type(),
              at::kDouble);
    EXPECT_EQ(quantizer.Quantize(at::empty({0})).numel(), 0);
  }
}

TEST_F(ActivationQuantizerTest, NanAndInfDoNotCount) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor x = at::tensor({nan, inf, -1.0F, 2.0F, -inf});
  for (const ActivationObserver observer :
       {ActivationObserver::kMinMax, ActivationObserver::kHistogram}) {
    ActivationConfig config = ConfigOf(ActivationScheme::kStatic);
    config.observer = observer;
    ActivationQuantizer quantizer(config);
    quantizer.Observe(at::tensor({nan, inf}));
    EXPECT_FALSE(quantizer.HasSeenValues());
    quantizer.Observe(x);
    EXPECT_NEAR(quantizer.Calibrated().scale, 3.0 / 255, 0.1 / 255);
  }
  ActivationQuantizer dynamic(ConfigOf(ActivationScheme::kDynamic));
  dynamic.Convert();
  EXPECT_NEAR(dynamic.Quantize(x)[3].item<double>(), 2, 0.02);
  EXPECT_EQ(dynamic.Quantize(at::tensor({inf})).numel(), 1);
}

TEST_F(ActivationQuantizerTest, NoneQuantizesNothing) {
  ActivationQuantizer quantizer(ConfigOf(ActivationScheme::kNone));
  quantizer.Convert();
  EXPECT_TRUE(quantizer.Quantize(x_).is_same(x_));
}

TEST_F(ActivationQuantizerTest, SavesAndLoadsWithItsModule) {
  for (const ActivationObserver observer :
       {ActivationObserver::kMinMax, ActivationObserver::kHistogram}) {
    for (const bool converted : {false, true}) {
      ActivationConfig config = ConfigOf(ActivationScheme::kStatic);
      config.observer = observer;
      config.quant_max = 127;
      auto quantizer = c10::make_intrusive<ActivationQuantizer>(config);
      quantizer->Observe(x_);
      if (converted) {
        quantizer->Convert();
      }
      torch::jit::Module module("__torch__.M");
      const c10::IValue object(quantizer);
      module.register_attribute("quantizer", object.type(), object);
      std::stringstream stream;
      module.save(stream);
      const auto loaded = torch::jit::load(stream)
                              .attr("quantizer")
                              .toCustomClass<ActivationQuantizer>();
      EXPECT_TRUE(loaded->options() == config);
      EXPECT_EQ(loaded->IsConverted(), converted);
      EXPECT_EQ(loaded->Calibrated().scale, quantizer->Calibrated().scale);
      EXPECT_TRUE(loaded->Quantize(x_).equal(quantizer->Quantize(x_)));
    }
  }
}

}  // namespace
}  // namespace ns
