#include "passes/runtime/observers/activation_quantizer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <limits>
#include <sstream>

#include "gtest/gtest.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/values/qparams.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr ObserverKind kStaticKinds[] = {
    ObserverKind::kMinMax,     ObserverKind::kMovingAverageMinMax,
    ObserverKind::kHistogram,  ObserverKind::kMse,
    ObserverKind::kPercentile, ObserverKind::kEntropy,
};

ObserverConfig Static(ObserverKind kind = ObserverKind::kMinMax) {
  return DefaultConfig(kind);
}

ObserverConfig Dynamic() {
  ObserverConfig config = DefaultConfig(ObserverKind::kPlaceholder);
  config.compute_dtype = at::kQUInt8;
  return config;
}

ObserverConfig Half() { return DefaultConfig(ObserverKind::kNoop); }

ObserverConfig None() { return DefaultConfig(ObserverKind::kPlaceholder); }

ActivationQuantizerPtr QuantizerOf(const ObserverConfig& config) {
  return OrThrow(MakeActivationQuantizer(config));
}

double ScaleOf(const ActivationQuantizer& quantizer) {
  return quantizer.Calibrated().scale.item<double>();
}

at::Tensor QuantizedAs(const at::Tensor& x, float min, float max) {
  const QParams qparams = ChooseQParams(min, max, 0, 255, false);
  return at::quantize_per_tensor(x, qparams.scale, qparams.zero_point,
                                 at::kQUInt8)
      .dequantize();
}

class ActivationQuantizerTest : public testing::Test {
 protected:
  const at::Tensor x_ = at::linspace(-1, 2, 50);
};

TEST_F(ActivationQuantizerTest, HandsOnItsValueUntilConverted) {
  const ActivationQuantizerPtr quantizer = QuantizerOf(Static());
  quantizer->Observe(x_);
  EXPECT_TRUE(quantizer->Quantize(x_).is_same(x_));
  EXPECT_FALSE(quantizer->IsConverted());
  quantizer->Convert();
  EXPECT_FALSE(quantizer->Quantize(x_).equal(x_));
}

TEST_F(ActivationQuantizerTest, StaticUsesTheRangeOfAllBatches) {
  const ActivationQuantizerPtr quantizer = QuantizerOf(Static());
  quantizer->Observe(x_);
  quantizer->Observe(x_ * 4);
  quantizer->Observe(x_ - 3);
  quantizer->Convert();
  EXPECT_TRUE(quantizer->Quantize(x_).equal(QuantizedAs(x_, -4, 8)));
  // Beyond the range, values are clipped.
  EXPECT_NEAR(quantizer->Quantize(x_ * 100).max().item<double>(), 8, 0.05);
}

TEST_F(ActivationQuantizerTest, ConvertedIgnoresWhatItObserves) {
  const ActivationQuantizerPtr quantizer = QuantizerOf(Static());
  quantizer->Observe(x_);
  quantizer->Convert();
  const at::Tensor before = quantizer->Quantize(x_);
  quantizer->Observe(x_ * 100);
  EXPECT_TRUE(quantizer->Quantize(x_).equal(before));
  EXPECT_FLOAT_EQ(ScaleOf(*quantizer), 3.0 / 255);
}

TEST_F(ActivationQuantizerTest, SearchesClipOutliers) {
  for (const ObserverKind kind :
       {ObserverKind::kHistogram, ObserverKind::kMse, ObserverKind::kPercentile,
        ObserverKind::kEntropy}) {
    ObserverConfig config = Static(kind);
    config.clipping_weight = 1;
    const ActivationQuantizerPtr quantizer = QuantizerOf(config);
    quantizer->Observe(at::cat({at::randn({1000000}), at::full({1}, 40.0)}));
    EXPECT_LT(ScaleOf(*quantizer), 20.0 / 255) << ObserverKindName(kind);
  }
}

TEST_F(ActivationQuantizerTest, UsesTheIntegersOfItsObserver) {
  ObserverConfig config = Static();
  config.dtype = at::kQInt8;
  config.qscheme = at::kPerTensorSymmetric;
  config.reduce_range = true;
  const ActivationQuantizerPtr quantizer = QuantizerOf(config);
  quantizer->Observe(x_);
  quantizer->Convert();
  const double scale = 2.0F / 63.5F;
  EXPECT_TRUE(quantizer->Quantize(x_).equal(
      at::quantize_per_tensor(x_, scale, 0, at::kQInt8)
          .dequantize()
          .clamp(-64 * static_cast<float>(scale),
                 63 * static_cast<float>(scale))));
}

TEST_F(ActivationQuantizerTest, ChannelsHaveScalesOfTheirOwn) {
  ObserverConfig config = Static(ObserverKind::kPerChannelMinMax);
  config.ch_axis = 1;
  const ActivationQuantizerPtr quantizer = QuantizerOf(config);
  const at::Tensor x = at::stack({x_, x_ * 100}, 1);
  quantizer->Observe(x);
  quantizer->Convert();
  const at::Tensor y = quantizer->Quantize(x);
  EXPECT_TRUE(y.select(1, 0).equal(QuantizedAs(x_, -1, 2)));
  EXPECT_TRUE(y.select(1, 1).equal(QuantizedAs(x_ * 100, -100, 200)));
}

TEST_F(ActivationQuantizerTest, FixedParametersNeedNoValues) {
  ObserverConfig config = Static(ObserverKind::kFixedQParams);
  config.scale = 0.25;
  config.zero_point = 100;
  const ActivationQuantizerPtr quantizer = QuantizerOf(config);
  EXPECT_FALSE(quantizer->NeedsValues());
  quantizer->Convert();
  EXPECT_TRUE(quantizer->Quantize(x_).equal(
      at::quantize_per_tensor(x_, 0.25, 100, at::kQUInt8).dequantize()));
}

TEST_F(ActivationQuantizerTest, DynamicUsesTheRangeOfEachTensor) {
  const ActivationQuantizerPtr quantizer = QuantizerOf(Dynamic());
  quantizer->Observe(x_ * 100);
  EXPECT_EQ(quantizer->values_seen(), 0);
  quantizer->Convert();
  EXPECT_TRUE(quantizer->Quantize(x_).equal(QuantizedAs(x_, -1, 2)));
  EXPECT_TRUE(quantizer->Quantize(x_ * 4).equal(QuantizedAs(x_ * 4, -4, 8)));
}

TEST_F(ActivationQuantizerTest, PlaceThatCalibrationMissedUsesItsOwnRange) {
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kMovingAverageMinMax}) {
    const ActivationQuantizerPtr quantizer = QuantizerOf(Static(kind));
    EXPECT_TRUE(quantizer->NeedsValues());
    quantizer->Convert();
    EXPECT_TRUE(quantizer->Quantize(x_).equal(QuantizedAs(x_, -1, 2)));
  }
}

TEST_F(ActivationQuantizerTest, HalfRounds) {
  const ActivationQuantizerPtr quantizer = QuantizerOf(Half());
  quantizer->Convert();
  EXPECT_TRUE(quantizer->Quantize(x_).equal(x_.to(at::kHalf).to(at::kFloat)));
}

TEST_F(ActivationQuantizerTest, LeavesNestedTensorsAlone) {
  const at::Tensor x =
      at::_nested_tensor_from_tensor_list({at::rand({3}), at::rand({2})});
  for (const ObserverConfig& config : {Static(), Dynamic(), Half()}) {
    const ActivationQuantizerPtr quantizer = QuantizerOf(config);
    quantizer->Observe(x);
    EXPECT_EQ(quantizer->values_seen(), 0);
    quantizer->Convert();
    EXPECT_TRUE(quantizer->Quantize(x).is_same(x));
  }
}

TEST_F(ActivationQuantizerTest, KeepsDtypeAndLeavesIndicesAlone) {
  for (const ObserverConfig& config : {Static(), Dynamic(), Half()}) {
    const ActivationQuantizerPtr quantizer = QuantizerOf(config);
    const at::Tensor indices = at::arange(5);
    quantizer->Observe(indices);
    quantizer->Observe(at::empty({0}));
    EXPECT_EQ(quantizer->values_seen(), 0);
    quantizer->Observe(x_.to(at::kDouble));
    quantizer->Convert();
    EXPECT_TRUE(quantizer->Quantize(indices).is_same(indices));
    EXPECT_EQ(quantizer->Quantize(x_.to(at::kDouble)).scalar_type(),
              at::kDouble);
    EXPECT_EQ(quantizer->Quantize(at::empty({0})).numel(), 0);
  }
}

TEST_F(ActivationQuantizerTest, NanAndInfDoNotCount) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor x = at::tensor({nan, inf, -1.0F, 2.0F, -inf});
  for (const ObserverKind kind : kStaticKinds) {
    const ActivationQuantizerPtr quantizer = QuantizerOf(Static(kind));
    quantizer->Observe(at::tensor({nan, inf}));
    EXPECT_EQ(quantizer->values_seen(), 0) << ObserverKindName(kind);
    quantizer->Observe(x);
    EXPECT_EQ(quantizer->values_seen(), 2) << ObserverKindName(kind);
    EXPECT_NEAR(ScaleOf(*quantizer), 3.0 / 255, 0.1 / 255)
        << ObserverKindName(kind);
  }
  const ActivationQuantizerPtr dynamic = QuantizerOf(Dynamic());
  dynamic->Convert();
  EXPECT_NEAR(dynamic->Quantize(x)[3].item<double>(), 2, 0.02);
  EXPECT_EQ(dynamic->Quantize(at::tensor({inf})).numel(), 1);
}

TEST_F(ActivationQuantizerTest, NoneQuantizesNothing) {
  const ActivationQuantizerPtr quantizer = QuantizerOf(None());
  quantizer->Convert();
  EXPECT_TRUE(quantizer->Quantize(x_).is_same(x_));
}

TEST_F(ActivationQuantizerTest, SavesAndLoadsWithItsModule) {
  for (const ObserverKind kind : kStaticKinds) {
    for (const bool converted : {false, true}) {
      ObserverConfig config = Static(kind);
      config.quant_min = 0;
      config.quant_max = 127;
      const ActivationQuantizerPtr quantizer = QuantizerOf(config);
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
      EXPECT_EQ(loaded->config(), config);
      EXPECT_EQ(loaded->IsConverted(), converted);
      EXPECT_EQ(loaded->values_seen(), x_.numel());
      EXPECT_EQ(ScaleOf(*loaded), ScaleOf(*quantizer));
      EXPECT_TRUE(loaded->Quantize(x_).equal(quantizer->Quantize(x_)));
    }
  }
}

TEST_F(ActivationQuantizerTest, RefusesObserversWithoutParameters) {
  EXPECT_EQ(MessageOf(MakeActivationQuantizer(
                DefaultConfig(ObserverKind::kRecording))),
            "observer 'recording' has no scale and zero point to quantize "
            "with");
  EXPECT_EQ(MessageOf(MakeActivationQuantizer(
                DefaultConfig(ObserverKind::kScripted))),
            "observer 'scripted': needs an object; use MakeScriptedObserver");
  ObserverConfig config = Dynamic();
  config.quant_min = 7;
  EXPECT_EQ(MessageOf(MakeActivationQuantizer(config)),
            "observer 'minmax': has one of quant_min and quant_max; give both "
            "or none");
}

}  // namespace
}  // namespace ns
