#include "passes/runtime/fbgemm_ops/packed_weight.h"

#include <ATen/Functions.h>

#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(ReadWeightQParamsTest, ReadsOneScaleOrOneForEachChannel) {
  const WeightQParams one =
      ReadWeightQParams(at::_make_per_tensor_quantized_tensor(
                            at::ones({3, 2}, at::kChar), 0.25, -128),
                        0, "layer");
  EXPECT_EQ(one.scales, std::vector<float>({0.25f}));
  EXPECT_EQ(one.zero_points, std::vector<int32_t>({-128}));
  const at::Tensor weight = at::_make_per_channel_quantized_tensor(
      at::ones({3, 2}, at::kChar), at::tensor({0.5, 0.25}, at::kDouble),
      at::tensor({-3, 127}, at::kLong), 1);
  const WeightQParams each = ReadWeightQParams(weight, 1, "layer");
  EXPECT_EQ(each.scales, std::vector<float>({0.5f, 0.25f}));
  EXPECT_EQ(each.zero_points, std::vector<int32_t>({-3, 127}));
  EXPECT_THROW(ReadWeightQParams(weight, 0, "layer"), c10::Error);
}

TEST(ReadWeightQParamsTest, RefusesWhatIsNotQint8) {
  for (const at::Tensor& bad :
       {at::Tensor(), at::ones({3, 2}), RandomCodes({3, 2})}) {
    EXPECT_THROW(ReadWeightQParams(bad, 0, "layer"), c10::Error);
  }
}

TEST(ReadBiasTest, ReadsFloatsInAnyLayout) {
  EXPECT_TRUE(ReadBias(at::Tensor(), 3, "layer").empty());
  const at::Tensor wide = at::arange(6, at::kFloat);
  EXPECT_EQ(ReadBias(wide.slice(0, 0, 6, 2), 3, "layer"),
            std::vector<float>({0, 2, 4}));
  EXPECT_EQ(ReadBias(at::ones({2}).set_requires_grad(true), 2, "layer"),
            std::vector<float>({1, 1}));
  for (const at::Tensor& bad : {at::ones({4}), at::ones({3, 1}),
                                at::ones({3}, at::kDouble), at::ones({})}) {
    EXPECT_THROW(ReadBias(bad, 3, "layer"), c10::Error);
  }
}

TEST(ParseSaturationModeTest, KnowsTheirNamesAndNoOthers) {
  EXPECT_EQ(ParseSaturationMode("exact", "layer"),
            kernels::SaturationMode::kExact);
  EXPECT_EQ(ParseSaturationMode("fbgemm-vnni", "layer"),
            kernels::SaturationMode::kFbgemmVnni);
  EXPECT_EQ(ParseSaturationMode("fbgemm-avx2", "layer"),
            kernels::SaturationMode::kFbgemmAvx2);
  for (const char* bad : {"", "Exact", "exact "}) {
    EXPECT_THROW(ParseSaturationMode(bad, "layer"), c10::Error);
  }
}

TEST(OutputQParamsTest, ReluBeginsAtTheZeroPoint) {
  const OutputQParams relu = Relu(QuantizedOutput(0.5, 17, "layer"));
  EXPECT_EQ(relu.min, 17);
  EXPECT_EQ(relu.max, kInf);
  EXPECT_EQ(Relu(FloatOutput()).min, 0);
}

TEST(OutputQParamsTest, ClampTakesBoundsToCodes) {
  const OutputQParams clamped =
      Clamp(QuantizedOutput(0.5, 17, "layer"), -1, 2.25);
  EXPECT_EQ(clamped.min, 15);
  EXPECT_EQ(clamped.max, 21);
  const OutputQParams open =
      Clamp(QuantizedOutput(0.5, 17, "layer"), -kInf, kInf);
  EXPECT_EQ(open.min, 0);
  EXPECT_EQ(open.max, 255);
}

TEST(OutputQParamsTest, ClampOfFloatsKeepsBoundsAsTheyAre) {
  const OutputQParams clamped = Clamp(FloatOutput(), -1.3, kInf);
  EXPECT_EQ(clamped.type, kernels::OutputType::kF32);
  EXPECT_EQ(clamped.min, -1.3f);
  EXPECT_EQ(clamped.max, kInf);
}

TEST(OutputPlansTest, KeepThePlanUntilAnythingChanges) {
  const OutputPlans plans({{0.5f}, {0}}, {1, 2, 3}, {4, 5, 6}, 10);
  const OutputQParams output = QuantizedOutput(0.1, 3, "layer");
  const auto first = plans.Get({0.2f, 7}, output);
  EXPECT_EQ(first->channels, 3);
  EXPECT_EQ(plans.Get({0.2f, 7}, output), first);
  const std::vector<std::pair<kernels::QParams, OutputQParams>> others = {
      {{0.3f, 7}, output},
      {{0.2f, 8}, output},
      {{0.2f, 7}, QuantizedOutput(0.2, 3, "layer")},
      {{0.2f, 7}, QuantizedOutput(0.1, 4, "layer")},
      {{0.2f, 7}, Relu(output)},
      {{0.2f, 7}, Clamp(output, -1, 1)}};
  for (const auto& [activation, other] : others) {
    plans.Get({0.2f, 7}, output);
    EXPECT_NE(plans.Get(activation, other), first);
  }
}

}  // namespace
}  // namespace ns
