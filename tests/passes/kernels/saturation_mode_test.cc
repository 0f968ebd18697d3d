#include "passes/kernels/saturation_mode.h"

#include <optional>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

TEST(SaturationModeTest, FindsEachByItsName) {
  for (const SaturationMode mode :
       {SaturationMode::kExact, SaturationMode::kFbgemmVnni,
        SaturationMode::kFbgemmAvx2}) {
    EXPECT_EQ(FindSaturationMode(SaturationModeName(mode)), mode);
  }
  EXPECT_EQ(FindSaturationMode("fbgemm"), std::nullopt);
}

TEST(SaturationModeTest, DepthwiseSumsOfFbgemmSaturateOnAllProcessors) {
  EXPECT_FALSE(DepthwiseSaturates(SaturationMode::kExact));
  EXPECT_TRUE(DepthwiseSaturates(SaturationMode::kFbgemmVnni));
  EXPECT_TRUE(DepthwiseSaturates(SaturationMode::kFbgemmAvx2));
}

TEST(SaturationModeTest, OtherSumsOfFbgemmSaturateWithoutVnniOnly) {
  EXPECT_FALSE(GemmSaturates(SaturationMode::kExact));
  EXPECT_FALSE(GemmSaturates(SaturationMode::kFbgemmVnni));
  EXPECT_TRUE(GemmSaturates(SaturationMode::kFbgemmAvx2));
}

}  // namespace
}  // namespace ns::kernels
