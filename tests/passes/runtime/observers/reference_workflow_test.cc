// PyTorch's cases of observers, see tests/README.md.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/values/qparams.h"
#include "tests/passes/runtime/observers/reference_observers.h"

namespace ns {
namespace {

TEST(ReferencePerTensorTest, RangesAreThoseOfAllValues) {
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kMovingAverageMinMax}) {
    ObserverConfig base = DefaultConfig(kind);
    base.averaging_constant = 0.5;
    // The bounds of both batches, or their mean, are 1 and 8.
    const bool averages = kind == ObserverKind::kMovingAverageMinMax;
    const std::vector<float> first = {averages ? 0.0F : 1.0F, 2, 3, 6};
    const std::vector<float> second = {averages ? 2.0F : 4.0F, 5,
                                       averages ? 10.0F : 8.0F};
    for (const ObserverConfig& config :
         Variants(base, {at::kQUInt8, at::kQInt8, at::kQInt32},
                  {at::kPerTensorAffine, at::kPerTensorSymmetric})) {
      const ObserverPtr observer = *MakeObserver(config);
      EXPECT_EQ(observer->CalculateQParams().scale.item<float>(), 1);
      const float unit = config.dtype == at::kQInt32 ? 65536 : 1;
      observer->Forward(TensorOf(first) * unit);
      const at::Tensor x = TensorOf(second) * unit;
      EXPECT_TRUE(observer->Forward(x).is_same(x));
      EXPECT_EQ(Bound(*observer, "min_val"), 1 * unit);
      EXPECT_EQ(Bound(*observer, "max_val"), 8 * unit);
      ExpectQParams(*observer, 8 * unit);
      ExpectStateLoads(*observer);
    }
  }
}

class ReferencePerChannelTest : public ::testing::TestWithParam<ObserverKind> {
 protected:
  // An observer that has seen `x`, or half of it and then its one and a half.
  static ObserverPtr Seen(const ObserverConfig& config, const at::Tensor& x) {
    ObserverPtr observer = *MakeObserver(config);
    EXPECT_EQ(observer->CalculateQParams().scale.item<float>(), 1);
    if (GetParam() == ObserverKind::kPerChannelMinMax) {
      EXPECT_TRUE(observer->Forward(x).is_same(x));
    } else {
      observer->Forward(x * 0.5);
      observer->Forward(x * 1.5);
    }
    return observer;
  }

  // Scale and zero point of a channel with values low..high.
  static std::vector<double> Expected(const ObserverConfig& config, double low,
                                      double high) {
    const double steps = StepsOf(config);
    if (config.qscheme == at::kPerChannelAffineFloatQParams) {
      const double scale = (high - low) / steps;
      return {scale, -low / scale};
    }
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
    if (IsSymmetric(config.qscheme)) {
      return {std::max(-low, high) / (steps / 2),
              config.dtype == at::kQUInt8 ? 128.0 : 0.0};
    }
    const double scale = (high - low) / steps;
    return {scale, static_cast<double>(GridOf(config).quant_min) -
                       std::nearbyint(low / scale)};
  }
};

TEST_P(ReferencePerChannelTest, RangesAreThoseOfEachChannel) {
  const at::Tensor x =
      TensorOf({1, 2, 2, 2.5, 3, 4, 4.5, 6, -4, -3, 5, 5, 6, 3, 7, 8})
          .reshape({2, 2, 2, 2});
  for (const int64_t axis : {0, 1, 2, 3}) {
    const at::Tensor channels = x.transpose(0, axis).reshape({2, 8});
    ObserverConfig base = DefaultConfig(GetParam());
    base.averaging_constant = 0.5;
    base.ch_axis = axis;
    for (const ObserverConfig& config :
         Variants(base, {at::kQInt8, at::kQUInt8},
                  {at::kPerChannelAffine, at::kPerChannelSymmetric,
                   at::kPerChannelAffineFloatQParams})) {
      const ObserverPtr observer = Seen(config, x);
      EXPECT_TRUE(observer->State()["min_val"].equal(channels.amin(1)));
      EXPECT_TRUE(observer->State()["max_val"].equal(channels.amax(1)));
      const TensorQParams qparams = observer->CalculateQParams();
      for (int64_t i = 0; i < 2; ++i) {
        const std::vector<double> expected =
            Expected(config, channels[i].min().item<double>(),
                     channels[i].max().item<double>());
        EXPECT_NEAR(qparams.scale[i].item<double>(), expected[0], 1e-6);
        EXPECT_NEAR(qparams.zero_point[i].item<double>(), expected[1], 1e-4);
      }
      ExpectStateLoads(*observer);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ReferencePerChannelTest,
    ::testing::Values(ObserverKind::kPerChannelMinMax,
                      ObserverKind::kMovingAveragePerChannelMinMax),
    [](const auto& info) {
      return info.param == ObserverKind::kPerChannelMinMax ? "MinMax"
                                                           : "MovingAverage";
    });

// As scripts call them, before and after these were saved.
TEST(ReferenceScriptedTest, ObserversSeeTheSameInScripts) {
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kMovingAverageMinMax,
        ObserverKind::kHistogram, ObserverKind::kRecording}) {
    for (const ObserverConfig& config :
         Variants(DefaultConfig(kind), {at::kQUInt8, at::kQInt8},
                  {at::kPerTensorAffine, at::kPerTensorSymmetric})) {
      const ObserverPtr observer = *MakeObserver(config);
      torch::jit::Module module("__torch__.Observed");
      const c10::IValue scripted(*MakeObserver(config));
      module.register_attribute("observer", scripted.type(), scripted);
      module.define(R"(
        def forward(self, x):
            return self.observer.forward(x)
      )");
      const at::Tensor x = at::rand({3, 4});
      observer->Forward(x);
      module.forward({x});
      std::stringstream stream;
      module.save(stream);
      for (const c10::IValue& held :
           {scripted, torch::jit::load(stream).attr("observer")}) {
        const auto other = held.toCustomClass<Observer>();
        if (kind == ObserverKind::kRecording) {
          EXPECT_TRUE(other->State().at("0").equal(x));
        } else {
          ExpectSame(*other, *observer);
        }
      }
    }
  }
}

TEST(ReferenceMemorylessTest, TheNewestBatchAloneCounts) {
  for (const ObserverKind kind :
       {ObserverKind::kMovingAverageMinMax,
        ObserverKind::kMovingAveragePerChannelMinMax}) {
    ObserverConfig config = DefaultConfig(kind);
    config.averaging_constant = 1;
    const ObserverPtr observer = *MakeObserver(config);
    const at::Tensor x = at::randn({3, 3});
    observer->Forward(x);
    const at::Tensor scale = observer->CalculateQParams().scale;
    for (int i = 0; i < 20; ++i) {
      observer->Forward(10 * at::randn({3, 3}));
      EXPECT_FALSE(observer->CalculateQParams().scale.allclose(scale));
      observer->Forward(x);
      EXPECT_TRUE(observer->CalculateQParams().scale.allclose(scale));
    }
  }
}

}  // namespace
}  // namespace ns
