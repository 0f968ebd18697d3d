#include "passes/runtime/observers/fake_quantize.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <functional>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/scripted_observer.h"

namespace ns {
namespace {

// Values and gradients in compat mode are held against PyTorch's by
// observers_reference_test.
ObserverConfig ConfigOf(ObserverKind kind) {
  ObserverConfig config = DefaultConfig(kind);
  config.ch_axis = -2;
  return config;
}

FakeQuantizePtr Make(const ObserverConfig& config, bool fused = false) {
  return *MakeFakeQuantize(*MakeObserver(config), fused);
}

std::string ErrorOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "";
}

class FakeQuantizeTest : public testing::Test {
 protected:
  const at::Tensor x_ = at::randn({4, 3, 5});
};

// One formula for all: what is converted gives what training saw.
TEST_F(FakeQuantizeTest, IsWhatQuantizingWithTheObserversQParamsGives) {
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kMovingAverageMinMax,
        ObserverKind::kHistogram, ObserverKind::kMse}) {
    for (const at::QScheme qscheme :
         {at::kPerTensorAffine, at::kPerTensorSymmetric}) {
      for (const bool fused : {false, true}) {
        if (fused && kind != ObserverKind::kMovingAverageMinMax) {
          continue;
        }
        ObserverConfig config = ConfigOf(kind);
        config.dtype = at::kQInt8;
        config.qscheme = qscheme;
        const FakeQuantizePtr fake = Make(config, fused);
        fake->Forward(x_ * 2);
        const at::Tensor y = fake->Forward(x_);
        const TensorQParams qparams = fake->CalculateQParams();
        EXPECT_TRUE(y.equal(at::quantize_per_tensor(
                                x_, qparams.scale.item<double>(),
                                qparams.zero_point.item<int64_t>(), at::kQInt8)
                                .dequantize()))
            << ObserverKindName(kind);
      }
    }
  }
}

TEST_F(FakeQuantizeTest, ChannelsHaveScalesOfTheirOwn) {
  const FakeQuantizePtr fake = Make(ConfigOf(ObserverKind::kPerChannelMinMax));
  const at::Tensor y = fake->Forward(x_);
  for (int64_t i = 0; i < 3; ++i) {
    const FakeQuantizePtr alone = Make(ConfigOf(ObserverKind::kMinMax));
    EXPECT_TRUE(y.select(1, i).equal(alone->Forward(x_.select(1, i))));
  }
}

TEST_F(FakeQuantizeTest, BothPartsCanBeSwitched) {
  const FakeQuantizePtr fake = Make(ConfigOf(ObserverKind::kMinMax));
  fake->EnableFakeQuant(false);
  EXPECT_TRUE(fake->Forward(x_).is_same(x_));
  const at::Tensor scale = fake->scale();
  EXPECT_NE(scale.item<float>(), 1);
  fake->EnableFakeQuant(true);
  fake->EnableObserver(false);
  const at::Tensor y = fake->Forward(x_ * 10);
  EXPECT_TRUE(fake->scale().equal(scale));
  EXPECT_LT(y.max().item<float>(), 4);
}

TEST_F(FakeQuantizeTest, GradientsPassWhereNothingIsClipped) {
  const FakeQuantizePtr fake = Make(ConfigOf(ObserverKind::kMinMax));
  fake->Forward(at::tensor({-1.0F, 1.0F}));
  fake->EnableObserver(false);
  at::Tensor x = at::tensor({-3.0F, -0.5F, 0.5F, 3.0F});
  x.requires_grad_();
  fake->Forward(x).sum().backward();
  EXPECT_TRUE(x.grad().equal(at::tensor({0.0F, 1.0F, 1.0F, 0.0F})));
}

TEST_F(FakeQuantizeTest, FixedQParamsStay) {
  ObserverConfig config = ConfigOf(ObserverKind::kFixedQParams);
  config.scale = 0.5;
  config.zero_point = 3;
  const FakeQuantizePtr fake = Make(config);
  EXPECT_EQ(fake->scale().item<float>(), 0.5);
  EXPECT_TRUE(fake->Forward(at::tensor({0.6F, 1000.0F, -1000.0F}))
                  .equal(at::tensor({0.5F, 126.0F, -1.5F})));
  EXPECT_EQ(fake->zero_point().item<int>(), 3);
}

TEST_F(FakeQuantizeTest, SavesAndLoadsWithItsModule) {
  for (const ObserverKind kind :
       {ObserverKind::kMovingAverageMinMax,
        ObserverKind::kMovingAveragePerChannelMinMax, ObserverKind::kMse}) {
    const FakeQuantizePtr fake = Make(ConfigOf(kind));
    fake->Forward(x_);
    fake->EnableObserver(false);
    torch::jit::Module module("__torch__.M");
    const c10::IValue value(fake);
    module.register_attribute("fake", value.type(), value);
    std::stringstream stream;
    module.save(stream);
    const auto loaded =
        torch::jit::load(stream).attr("fake").toCustomClass<FakeQuantize>();
    EXPECT_TRUE(loaded->Forward(x_ * 3).equal(fake->Forward(x_ * 3)));
    loaded->EnableObserver(true);
    fake->EnableObserver(true);
    EXPECT_TRUE(loaded->Forward(x_ * 3).equal(fake->Forward(x_ * 3)));
    EXPECT_TRUE(loaded->scale().equal(fake->scale()));
  }
}

TEST_F(FakeQuantizeTest, TakesAScriptedObserver) {
  torch::jit::Module module("__torch__.Half");
  module.define(R"(
    def forward(self, x):
        return x
    def calculate_qparams(self):
        return torch.full([1], 0.5), torch.zeros([1], dtype=3)
  )");
  const FakeQuantizePtr fake =
      *MakeFakeQuantize(*MakeScriptedObserver(module._ivalue()), false);
  EXPECT_TRUE(
      fake->Forward(at::tensor({0.6F, 0.9F})).equal(at::tensor({0.5F, 1.0F})));
}

TEST_F(FakeQuantizeTest, HandsOnWhatHasNoValues) {
  const FakeQuantizePtr fake =
      Make(ConfigOf(ObserverKind::kMovingAveragePerChannelMinMax));
  const at::Tensor empty = at::empty({0, 3, 2});
  EXPECT_TRUE(fake->Forward(empty).is_same(empty));
}

TEST_F(FakeQuantizeTest, WrongTensorsAreNamed) {
  EXPECT_EQ(ErrorOf([&] {
              Make(ConfigOf(ObserverKind::kMse))->Forward(at::arange(3));
            }),
            "fake quantization takes floats; this tensor has dtype Long");
  const FakeQuantizePtr fake = Make(ConfigOf(ObserverKind::kPerChannelMinMax));
  fake->EnableObserver(false);
  EXPECT_EQ(ErrorOf([&] {
              fake->Forward(at::ones({2, 3, 4}));
            }),
            "fake quantization along axis -2 with 1 scales of a tensor of "
            "shape [2, 3, 4]; observe such a tensor first");
}

TEST_F(FakeQuantizeTest, RefusesObserversThatDoNotFit) {
  const auto refusal = [](ObserverKind kind, bool fused) {
    return std::string(MakeFakeQuantize(*MakeObserver(ConfigOf(kind)), fused)
                           .status()
                           .message());
  };
  EXPECT_EQ(refusal(ObserverKind::kPlaceholder, false),
            "fake quantization: observer 'placeholder' has no scale and zero "
            "point");
  EXPECT_EQ(refusal(ObserverKind::kMinMax, true),
            "fake quantization: observer 'minmax' is no moving average with "
            "integer zero points, as fused ones have");
}

}  // namespace
}  // namespace ns
