// PyTorch's cases of fake quantization, see tests/README.md.
#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdint>
#include <limits>
#include <sstream>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {
namespace {

FakeQuantizePtr Make(const ObserverConfig& config, bool fused) {
  return *MakeFakeQuantize(*MakeObserver(config), fused);
}

// The observer that weights have by default.
ObserverConfig WeightConfig() {
  ObserverConfig config = DefaultConfig(ObserverKind::kPerChannelMinMax);
  config.dtype = at::kQInt8;
  config.qscheme = at::kPerChannelSymmetric;
  return config;
}

TEST(ReferenceFakeQuantizeTest, ChannelsAreRoundedAndGradientsClipped) {
  for (const int64_t axis : {0, 1, 2}) {
    ObserverConfig config = WeightConfig();
    config.ch_axis = axis;
    const FakeQuantizePtr fake = Make(config, /*fused=*/false);
    at::Tensor x = at::randn({2, 3, 4});
    fake->Forward(x);
    // Some values are now beyond the range.
    fake->EnableObserver(false);
    x = (x * 2).set_requires_grad(true);
    const at::Tensor y = fake->Forward(x);
    const at::Tensor weights = at::rand({2, 3, 4});
    y.backward(weights);
    std::vector<int64_t> shape = {1, 1, 1};
    shape[axis] = -1;
    const at::Tensor scale = fake->scale().reshape(shape);
    const at::Tensor steps = at::round(x.detach() / scale);
    EXPECT_TRUE(y.allclose(steps.clamp(-128, 127) * scale, 1e-6, 1e-6));
    const at::Tensor is_inside =
        (steps >= -128).logical_and(steps <= 127).to(at::kFloat);
    EXPECT_LT(is_inside.min().item<float>(), 1);
    EXPECT_TRUE(x.grad().equal(weights * is_inside));
  }
}

TEST(ReferenceFakeQuantizeTest, ScalesOfChannelsAreSaved) {
  const FakeQuantizePtr fake = Make(WeightConfig(), /*fused=*/false);
  fake->Forward(at::tensor({-5.0F, -3.5F, -2.0F, 0.0F, 3.0F, 5.0F, 7.0F,  //
                            1.0F, 3.0F, 2.0F, 5.0F, 6.5F, 8.0F, 10.0F})
                    .reshape({2, 7}));
  EXPECT_TRUE(fake->scale().allclose(at::tensor({7 / 127.5F, 10 / 127.5F})));
  EXPECT_TRUE(fake->zero_point().equal(at::zeros({2}, at::kInt)));
  torch::jit::Module module("__torch__.M");
  const c10::IValue value(fake);
  module.register_attribute("fake", value.type(), value);
  std::stringstream stream;
  module.save(stream);
  const auto loaded =
      torch::jit::load(stream).attr("fake").toCustomClass<FakeQuantize>();
  EXPECT_TRUE(loaded->scale().equal(fake->scale()));
  EXPECT_TRUE(loaded->zero_point().equal(fake->zero_point()));
}

TEST(ReferenceFakeQuantizeTest, BoundsAreThoseOfTheDtypeUnlessGiven) {
  ObserverConfig config = WeightConfig();
  const QuantGrid all =
      GridOf(Make(config, /*fused=*/false)->observer()->config());
  EXPECT_EQ(all.quant_min, -128);
  EXPECT_EQ(all.quant_max, 127);
  config.quant_min = 0;
  config.quant_max = 127;
  const QuantGrid given =
      GridOf(Make(config, /*fused=*/false)->observer()->config());
  EXPECT_EQ(given.quant_min, 0);
  EXPECT_EQ(given.quant_max, 127);
}

TEST(ReferenceFakeQuantizeTest, HalvingTheRangeHalvesTheBounds) {
  ObserverConfig config = DefaultConfig(ObserverKind::kMovingAverageMinMax);
  config.quant_min = 0;
  config.quant_max = 255;
  config.reduce_range = true;
  const QuantGrid grid =
      GridOf(Make(config, /*fused=*/true)->observer()->config());
  EXPECT_EQ(grid.quant_min, 0);
  EXPECT_EQ(grid.quant_max, 127);
}

// LibTorch's op, as PyTorch's module calls it, beside a fused fake quantization
// in compat mode.
class ReferenceFusedTest : public ::testing::Test {
 protected:
  static ObserverConfig Config(ObserverKind kind, double averaging_constant) {
    ObserverConfig config = DefaultConfig(kind);
    config.averaging_constant = averaging_constant;
    config.compat = true;
    config.quant_min = 0;
    config.quant_max = 255;
    return config;
  }

  // Expects the same of both for ten inputs of this shape. Observing starts
  // with the input number `observed`, and rounding with `rounded`.
  static void ExpectIsTheOp(const ObserverConfig& config,
                            const std::vector<int64_t>& shape, int observed,
                            int rounded) {
    const bool is_per_channel = IsPerChannel(config.qscheme);
    const int64_t channels = is_per_channel ? shape[0] : 1;
    const auto limit = [&](double value) {
      return is_per_channel ? at::full({channels}, value)
                            : at::scalar_tensor(value, at::kFloat);
    };
    at::Tensor min = limit(std::numeric_limits<double>::infinity());
    at::Tensor max = limit(-std::numeric_limits<double>::infinity());
    at::Tensor scale = at::ones({channels});
    at::Tensor zero_point = at::zeros({channels}, at::kInt);
    const FakeQuantizePtr fake = Make(config, /*fused=*/true);
    for (int i = 0; i < 10; ++i) {
      fake->EnableObserver(i >= observed);
      fake->EnableFakeQuant(i >= rounded);
      const at::Tensor x = at::randn(shape);
      const at::Tensor expected = at::fused_moving_avg_obs_fake_quant(
          x, at::full({1}, i >= observed ? 1 : 0, at::kLong),
          at::full({1}, i >= rounded ? 1 : 0, at::kLong), min, max, scale,
          zero_point, config.averaging_constant, 0, 255, /*ch_axis=*/0,
          is_per_channel, /*symmetric_quant=*/false);
      EXPECT_TRUE(fake->Forward(x).equal(expected)) << i;
      if (i >= observed) {
        EXPECT_TRUE(fake->observer()->State()["min_val"].equal(min)) << i;
        EXPECT_TRUE(fake->observer()->State()["max_val"].equal(max)) << i;
        EXPECT_TRUE(fake->scale().equal(scale)) << i;
        EXPECT_TRUE(fake->zero_point().equal(zero_point)) << i;
      }
    }
  }
};

TEST_F(ReferenceFusedTest, IsTheOp) {
  ExpectIsTheOp(Config(ObserverKind::kMovingAverageMinMax, 0.01), {5, 5},
                /*observed=*/0, /*rounded=*/0);
}

TEST_F(ReferenceFusedTest, IsTheOpWhenItStartsLater) {
  ExpectIsTheOp(Config(ObserverKind::kMovingAverageMinMax, 0.001), {5, 5},
                /*observed=*/3, /*rounded=*/5);
}

TEST_F(ReferenceFusedTest, IsTheOpForEachChannel) {
  ExpectIsTheOp(Config(ObserverKind::kMovingAveragePerChannelMinMax, 0.001),
                {5, 10}, /*observed=*/0, /*rounded=*/0);
}

TEST_F(ReferenceFusedTest, IsNearlyWhatItsPartsAre) {
  for (const bool compat : {true, false}) {
    ObserverConfig config = Config(ObserverKind::kMovingAverageMinMax, 0.01);
    config.compat = compat;
    const FakeQuantizePtr fused = Make(config, /*fused=*/true);
    const FakeQuantizePtr parts = Make(config, /*fused=*/false);
    for (int i = 0; i < 10; ++i) {
      const at::Tensor x = at::randn({5, 5});
      EXPECT_TRUE(fused->Forward(x).allclose(parts->Forward(x), 1e-4, 1e-5));
      for (const char* name : {"min_val", "max_val"}) {
        EXPECT_TRUE(fused->observer()->State()[name].allclose(
            parts->observer()->State()[name], 1e-5));
      }
    }
  }
}

}  // namespace
}  // namespace ns
