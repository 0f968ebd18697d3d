#include "passes/quantization/qconfig/quantization_target.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(QuantizationTargetTest, HasTheNameOfItsKernels) {
  EXPECT_EQ(TargetName(QuantizationTarget::kExact), "exact");
  EXPECT_EQ(TargetName(QuantizationTarget::kFbgemmVnni), "fbgemm-vnni");
  EXPECT_EQ(TargetName(QuantizationTarget::kFbgemmAvx2), "fbgemm-avx2");
  EXPECT_EQ(TargetName(QuantizationTarget::kOneDnnAvx2), "onednn-avx2");
}

TEST(QuantizationTargetTest, NarrowsWhereMostLayersSaturate) {
  EXPECT_FALSE(NarrowsActivations(QuantizationTarget::kExact));
  EXPECT_FALSE(NarrowsActivations(QuantizationTarget::kFbgemmVnni));
  EXPECT_TRUE(NarrowsActivations(QuantizationTarget::kFbgemmAvx2));
  EXPECT_TRUE(NarrowsActivations(QuantizationTarget::kOneDnnAvx2));
}

TEST(QuantizationTargetTest, NoKernelOfOursHasThePairsOfOneDnn) {
  EXPECT_EQ(SaturationOf(QuantizationTarget::kFbgemmAvx2),
            kernels::SaturationMode::kFbgemmAvx2);
  EXPECT_FALSE(SaturationOf(QuantizationTarget::kOneDnnAvx2));
}

}  // namespace
}  // namespace ns
