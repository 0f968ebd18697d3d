#include "passes/runtime/observers/observer_config.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

ObserverConfig Minmax() { return DefaultConfig(ObserverKind::kMinMax); }

std::string Refusal(const ObserverConfig& config) {
  return std::string(Validate(config).message());
}

TEST(ObserverConfigTest, GridIsThatOfDtypeAndRange) {
  struct Case {
    at::ScalarType dtype;
    bool reduce_range;
    int64_t min;
    int64_t max;
  };
  for (const Case& c : std::vector<Case>{
           {at::kQUInt8, false, 0, 255},
           {at::kQUInt8, true, 0, 127},
           {at::kQInt8, false, -128, 127},
           {at::kQInt8, true, -64, 63},
           {at::kQUInt4x2, true, 0, 15},
           {at::kQInt32, true, -(int64_t{1} << 31), (int64_t{1} << 31) - 1}}) {
    ObserverConfig config = Minmax();
    config.dtype = c.dtype;
    config.reduce_range = c.reduce_range;
    EXPECT_EQ(GridOf(config).quant_min, c.min);
    EXPECT_EQ(GridOf(config).quant_max, c.max);
  }
  ObserverConfig config = Minmax();
  config.dtype = at::kQInt8;
  config.quant_min = -127;
  config.quant_max = 127;
  config.reduce_range = true;
  EXPECT_EQ(GridOf(config).quant_min, -64);
  EXPECT_EQ(GridOf(config).quant_max, 63);
}

TEST(ObserverConfigTest, SymmetricZeroIsInTheMiddle) {
  ObserverConfig config = Minmax();
  EXPECT_EQ(GridOf(config).symmetric_zero_point, std::nullopt);
  config.qscheme = at::kPerTensorSymmetric;
  EXPECT_EQ(GridOf(config).symmetric_zero_point, 128);
  config.dtype = at::kQUInt4x2;
  EXPECT_EQ(GridOf(config).symmetric_zero_point, 8);
  config.compat = true;
  EXPECT_EQ(GridOf(config).symmetric_zero_point, 0);
  config.dtype = at::kQInt8;
  EXPECT_EQ(GridOf(config).symmetric_zero_point, 0);
  config.dtype = at::kQUInt8;
  config.quant_min = 0;
  config.quant_max = 127;
  EXPECT_EQ(GridOf(config).symmetric_zero_point, 63);
}

TEST(ObserverConfigTest, ModeIsThatOfKindAndDtype) {
  ObserverConfig config = Minmax();
  config.dtype = at::kQInt8;
  EXPECT_EQ(ModeOf(config), QuantizationMode::kStatic);
  config = DefaultConfig(ObserverKind::kFixedQParams);
  EXPECT_EQ(ModeOf(config), QuantizationMode::kStatic);
  config = DefaultConfig(ObserverKind::kPlaceholder);
  EXPECT_EQ(ModeOf(config), QuantizationMode::kFloat);
  config.dtype = at::kHalf;
  EXPECT_EQ(ModeOf(config), QuantizationMode::kHalf);
  config.compute_dtype = at::kHalf;
  EXPECT_EQ(ModeOf(config), QuantizationMode::kHalf);
  config.compute_dtype = at::kQUInt8;
  EXPECT_EQ(ModeOf(config), QuantizationMode::kDynamic);
  EXPECT_EQ(ModeOf(DefaultConfig(ObserverKind::kNoop)),
            QuantizationMode::kHalf);
}

TEST(ObserverConfigTest, SomeKindsHaveNoParameters) {
  for (const ObserverKind kind :
       {ObserverKind::kPlaceholder, ObserverKind::kNoop,
        ObserverKind::kRecording, ObserverKind::kReuseInput}) {
    EXPECT_FALSE(HasQParams(kind)) << ObserverKindName(kind);
  }
  for (const ObserverKind kind :
       {ObserverKind::kMinMax, ObserverKind::kFixedQParams, ObserverKind::kMse,
        ObserverKind::kScripted}) {
    EXPECT_TRUE(HasQParams(kind)) << ObserverKindName(kind);
  }
}

TEST(ObserverConfigTest, RefusesWhatCannotBe) {
  ObserverConfig config = Minmax();
  config.dtype = at::kHalf;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax': dtype float16 is none of quint8, qint8, "
            "quint4x2, qint32");
  config = Minmax();
  config.qscheme = at::kPerChannelAffine;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax': scheme per_channel_affine is per channel");
  config = DefaultConfig(ObserverKind::kPerChannelMinMax);
  config.qscheme = at::kPerTensorAffine;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax-per-channel': scheme per_tensor_affine is not "
            "per channel");
  config = Minmax();
  config.qscheme = at::kPerTensorSymmetric;
  config.reduce_range = true;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax': a symmetric range of quint8 cannot be reduced; "
            "use qint8 or an affine scheme");
}

TEST(ObserverConfigTest, RefusesScriptedOnesThatHaveNoIntegers) {
  ObserverConfig config = DefaultConfig(ObserverKind::kScripted);
  config.qscheme = at::kPerChannelAffine;
  EXPECT_EQ(Refusal(config), "");
  config.dtype = at::kHalf;
  EXPECT_EQ(Refusal(config),
            "observer 'scripted': dtype float16 is none of quint8, qint8, "
            "quint4x2, qint32");
}

TEST(ObserverConfigTest, RefusesRangesThatAreNone) {
  ObserverConfig config = Minmax();
  config.quant_min = 0;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax': has one of quant_min and quant_max; give both "
            "or none");
  config.quant_max = 256;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax': the range 0..256 is not within 0..255, the "
            "integers of quint8");
  config.quant_min = 3;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax': the range 3..256 must hold 0 and be no point");
  config.quant_min = 0;
  config.quant_max = 1;
  config.reduce_range = true;
  EXPECT_EQ(Refusal(config),
            "observer 'minmax': the range 0..1 is empty when it is reduced");
}

TEST(ObserverConfigTest, RefusesNumbersOutOfRange) {
  const auto refusal_with = [](auto change) {
    ObserverConfig config = Minmax();
    change(config);
    return Refusal(config);
  };
  EXPECT_NE(refusal_with([](auto& c) { c.averaging_constant = 0; }), "");
  EXPECT_NE(refusal_with([](auto& c) { c.averaging_constant = 1.5; }), "");
  EXPECT_NE(refusal_with([](auto& c) { c.bins = 1; }), "");
  EXPECT_NE(refusal_with([](auto& c) { c.upsample_rate = 0; }), "");
  EXPECT_NE(refusal_with([](auto& c) { c.percentile = 0.5; }), "");
  EXPECT_NE(refusal_with([](auto& c) { c.percentile = 1.01; }), "");
  EXPECT_NE(refusal_with([](auto& c) { c.headroom = 0.9; }), "");
  EXPECT_NE(refusal_with([](auto& c) {
              c.headroom = 2;
              c.compat = true;
            }),
            "");
  ObserverConfig fixed = DefaultConfig(ObserverKind::kFixedQParams);
  fixed.zero_point = 300;
  EXPECT_EQ(Refusal(fixed),
            "observer 'fixed': zero_point 300 is not within 0..255");
  fixed.zero_point = 0;
  fixed.scale = 0;
  EXPECT_EQ(Refusal(fixed), "observer 'fixed': scale must be above 0");
}

}  // namespace
}  // namespace ns
