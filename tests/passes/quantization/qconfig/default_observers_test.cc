#include "passes/quantization/qconfig/default_observers.h"

#include "gtest/gtest.h"
#include "passes/runtime/observers/fake_quantize.h"
#include "passes/runtime/observers/make_observer.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

// default_qconfigs_reference_test holds all fields to PyTorch's.

TEST(DefaultObserversTest, ActivationsHaveSevenBits) {
  const QuantGrid grid = GridOf(DefaultObserver().config);
  EXPECT_EQ(grid.quant_min, 0);
  EXPECT_EQ(grid.quant_max, 127);
  EXPECT_EQ(grid.symmetric_zero_point, std::nullopt);
}

TEST(DefaultObserversTest, FakeQuantOfActivationsHasSevenBitsToo) {
  EXPECT_EQ(GridOf(DefaultFakeQuant().config).quant_max, 127);
  EXPECT_EQ(GridOf(DefaultFusedActFakeQuant().config).quant_max, 255);
}

TEST(DefaultObserversTest, WeightsAreSymmetric) {
  EXPECT_EQ(GridOf(DefaultWeightObserver().config).symmetric_zero_point, 0);
  EXPECT_TRUE(IsPerChannel(DefaultPerChannelWeightObserver()));
  EXPECT_FALSE(IsPerChannel(DefaultWeightObserver()));
}

TEST(DefaultObserversTest, DynamicOnesQuantizeAsTheyRun) {
  EXPECT_EQ(ModeOf(DefaultDynamicQuantObserver()), QuantizationMode::kDynamic);
  EXPECT_EQ(ModeOf(DefaultPlaceholderObserver()), QuantizationMode::kFloat);
}

TEST(DefaultObserversTest, FixedOnesCoverTheirRange) {
  const ObserverPtr observer =
      OrThrow(MakeObserver(DefaultFixedQParamsRangeNeg1To1Observer().config));
  const TensorQParams qparams = observer->CalculateQParams();
  EXPECT_EQ(qparams.scale.item<float>(), 2.0F / 256);
  EXPECT_EQ(qparams.zero_point.item<int64_t>(), 128);
}

TEST(DefaultObserversTest, AllForTrainingCanBeMade) {
  for (const ObserverSpec& spec :
       {DefaultFakeQuant(), DefaultFusedActFakeQuant(),
        DefaultHistogramFakeQuant(), DefaultDynamicFakeQuant(),
        DefaultFixedQParamsRange0To1FakeQuant(),
        DefaultFixedQParamsRangeNeg1To1FakeQuant(), DefaultWeightFakeQuant(),
        DefaultPerChannelWeightFakeQuant(), DefaultFusedWtFakeQuant(),
        DefaultFusedPerChannelWtFakeQuant(), FusedWtFakeQuantRangeNeg127To127(),
        FusedPerChannelWtFakeQuantRangeNeg127To127(),
        DefaultEmbeddingFakeQuant(), DefaultEmbeddingFakeQuant4Bit()}) {
    EXPECT_NE(spec.use, ObserverUse::kObserve);
    const ObserverPtr observer = OrThrow(MakeObserver(spec.config));
    NS_EXPECT_OK(
        MakeFakeQuantize(observer, spec.use == ObserverUse::kFusedFakeQuantize)
            .status());
  }
}

}  // namespace
}  // namespace ns
