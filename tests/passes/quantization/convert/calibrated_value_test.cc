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
