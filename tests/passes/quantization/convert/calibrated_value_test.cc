#include "passes/quantization/convert/calibrated_value.h"

#include <ATen/Functions.h>

#include <limits>

#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "passes/runtime/observers/make_observer.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

ObserverPtr NewObserver(ObserverKind kind = ObserverKind::kMinMax) {
  return OrThrow(MakeObserver(DefaultConfig(kind)));
}

void ExpectRefusal(const ObserverPtr& observer, absl::string_view reason) {
  const absl::Status status = AskObserver(observer).status;
  EXPECT_TRUE(IsRefusal(status));
  EXPECT_EQ(status.message(), reason);
}

TEST(CalibratedValueTest, HasTheQParamsOfWhatWasSeen) {
  const ObserverPtr observer = NewObserver();
  observer->Forward(at::tensor({-1.0F, 254.0F}));
  const CalibratedValue value = AskObserver(observer);
  NS_EXPECT_OK(value.status);
  EXPECT_EQ(value.qparams.scale, 1);
  EXPECT_EQ(value.qparams.zero_point, 1);
  const ValueQuantization described = Describe(value);
  EXPECT_EQ(described.min, -1);
  EXPECT_EQ(described.max, 254);
}

TEST(CalibratedValueTest, HeadroomIsWhatIsLeftUntilValuesAreClipped) {
  const auto headroom = [](ObserverConfig config, const at::Tensor& x) {
    const ObserverPtr observer = OrThrow(MakeObserver(config));
    observer->Forward(x);
    return Describe(AskObserver(observer)).headroom;
  };
  const at::Tensor x = at::tensor({-1.0F, 254.0F});
  ObserverConfig config = DefaultConfig(ObserverKind::kMinMax);
  EXPECT_DOUBLE_EQ(*headroom(config, x), 1);
  config.headroom = 1.5;
  EXPECT_NEAR(*headroom(config, at::tensor({0.0F, 10.0F})), 1.5, 1e-5);
  config.headroom = 1;
  // All 8 bits of the type can be used, of which the observer uses 7.
  config.reduce_range = true;
  EXPECT_NEAR(*headroom(config, at::tensor({0.0F, 10.0F})), 255.0 / 127, 1e-5);
  EXPECT_FALSE(headroom(config, at::zeros({4})));
  // One value far from all others is clipped.
  at::Tensor outlier = at::linspace(0, 1, 1000000);
  outlier[17] = 4;
  EXPECT_LT(*headroom(DefaultConfig(ObserverKind::kMse), outlier), 0.9);
}

TEST(CalibratedValueTest, SomeValuesCannotBeQuantized) {
  ExpectRefusal(NewObserver(), "never ran during calibration");
  ObserverPtr observer = NewObserver();
  observer->Forward(at::arange(3));
  ExpectRefusal(observer, "it computes with integers");
  observer = NewObserver();
  observer->Forward(at::ones({2}, at::kDouble));
  ExpectRefusal(observer, "it computes with floats other than float32");
  observer = NewObserver();
  observer->Forward(
      at::full({2}, std::numeric_limits<float>::quiet_NaN(), at::kFloat));
  ExpectRefusal(observer, "its values are all nan or infinite");
  observer = NewObserver(ObserverKind::kPerChannelMinMax);
  observer->Forward(at::ones({2, 3}));
  ExpectRefusal(observer, "its activations have a scale for each channel");
}

TEST(CalibratedValueTest, NoOpsNeedNoQParams) {
  const ObserverPtr observer = NewObserver(ObserverKind::kNoop);
  observer->Forward(at::ones({2}));
  NS_EXPECT_OK(AskObserver(observer).status);
}

TEST(CalibratedValueTest, MadeUpOnesDiffer) {
  EXPECT_NE(MadeUpValue(NewObserver(), 1).qparams.scale,
            MadeUpValue(NewObserver(), 2).qparams.scale);
  ObserverConfig fixed = DefaultConfig(ObserverKind::kFixedQParams);
  fixed.scale = 0.25;
  EXPECT_EQ(MadeUpValue(OrThrow(MakeObserver(fixed)), 2).qparams.scale, 0.25);
}

}  // namespace
}  // namespace ns
