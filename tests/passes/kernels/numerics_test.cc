#include "passes/kernels/numerics.h"

#include <optional>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

TEST(NumericsTest, FindsEachByItsName) {
  for (const Numerics numerics :
       {Numerics::kExact, Numerics::kFbgemmVnni, Numerics::kFbgemmAvx2}) {
    EXPECT_EQ(FindNumerics(NumericsName(numerics)), numerics);
  }
  EXPECT_EQ(FindNumerics("fbgemm"), std::nullopt);
}

TEST(NumericsTest, DepthwiseSumsOfFbgemmSaturateOnAllProcessors) {
  EXPECT_FALSE(DepthwiseSaturates(Numerics::kExact));
  EXPECT_TRUE(DepthwiseSaturates(Numerics::kFbgemmVnni));
  EXPECT_TRUE(DepthwiseSaturates(Numerics::kFbgemmAvx2));
}

TEST(NumericsTest, OtherSumsOfFbgemmSaturateWithoutVnniOnly) {
  EXPECT_FALSE(GemmSaturates(Numerics::kExact));
  EXPECT_FALSE(GemmSaturates(Numerics::kFbgemmVnni));
  EXPECT_TRUE(GemmSaturates(Numerics::kFbgemmAvx2));
}

}  // namespace
}  // namespace ns::kernels
