#include "passes/quantization/convert/conversion_cache.h"

#include <ATen/ATen.h>

#include <limits>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/make_observer.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

ObserverConfig Int8(int64_t largest) {
  ObserverConfig config;
  config.dtype = at::kQInt8;
  config.quant_min = -largest;
  config.quant_max = largest;
  return config;
}

// It would say something else by now.
TEST(ConversionCacheTest, AsksAnObserverOnce) {
  const ObserverPtr observer = OrThrow(MakeObserver(ObserverConfig()));
  observer->Forward(at::tensor({0.0F, 1.0F}));
  ConversionCache cache;
  const double scale = cache.Ask(observer).qparams.scale;
  EXPECT_EQ(scale, AskObserver(observer).qparams.scale);
  observer->Forward(at::tensor({0.0F, 9.0F}));
  EXPECT_EQ(cache.Ask(observer).qparams.scale, scale);
  EXPECT_NE(ConversionCache().Ask(observer).qparams.scale, scale);
}

TEST(ConversionCacheTest, QuantizesAWeightOnceForEachConfig) {
  const at::Tensor weight = at::linspace(-1, 1, 12).reshape({3, 4});
  ConversionCache cache;
  const at::Tensor first = OrThrow(cache.Quantized(weight, Int8(127)));
  ObserverSpec spec;
  spec.config = Int8(127);
  EXPECT_TRUE(first.equal(OrThrow(QuantizedBySpec(weight, spec))));
  // As copies of a model have it.
  EXPECT_TRUE(
      first.is_same(OrThrow(cache.Quantized(weight.detach(), Int8(127)))));
  EXPECT_FALSE(OrThrow(cache.Quantized(weight, Int8(64))).equal(first));
}

// They share the address of their data.
TEST(ConversionCacheTest, ViewsAreOtherWeights) {
  const at::Tensor weight = at::linspace(-1, 1, 12).reshape({3, 4});
  ConversionCache cache;
  OrThrow(cache.Quantized(weight, Int8(127)));
  for (const at::Tensor& view :
       {weight.slice(0, 0, 1), weight.reshape({4, 3})}) {
    EXPECT_EQ(OrThrow(cache.Quantized(view, Int8(127))).sizes(), view.sizes());
  }
}

TEST(ConversionCacheTest, RefusesWeightsThatAreNotFinite) {
  const at::Tensor weight =
      at::full({2, 2}, std::numeric_limits<float>::infinity());
  ConversionCache cache;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(IsRefusal(cache.Quantized(weight, Int8(127)).status()));
  }
}

}  // namespace
}  // namespace ns
