#include "passes/kernels/quantize_value.h"

#include <limits>

#include "gtest/gtest.h"

namespace ns::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(QuantizeValueTest, TiesRoundToEvenBeforeTheZeroPointIsAdded) {
  EXPECT_EQ(QuantizeValue(0.5f, 1, 3), 3);
  EXPECT_EQ(QuantizeValue(1.5f, 1, 3), 5);
  EXPECT_EQ(QuantizeValue(2.5f, 1, 3), 5);
  EXPECT_EQ(QuantizeValue(-0.5f, 1, 3), 3);
  EXPECT_EQ(QuantizeValue(-1.5f, 1, 3), 1);
}

TEST(QuantizeValueTest, TheProductIsRoundedFirst) {
  // The float next to 1 / 6 is above it: so are products, until rounded.
  const float sixth = 1.0f / 6;
  EXPECT_EQ(QuantizeValue(3, sixth, 0), 0);
  EXPECT_EQ(QuantizeValue(15, sixth, 0), 2);
}

TEST(QuantizeValueTest, ValuesAreClipped) {
  EXPECT_EQ(QuantizeValue(300, 1, 0), 255);
  EXPECT_EQ(QuantizeValue(-300, 1, 255), 0);
  EXPECT_EQ(QuantizeValue(1e9f, 1, 255), 255);
  EXPECT_EQ(QuantizeValue(-1e30f, 1, 255), 0);
  EXPECT_EQ(QuantizeValue(-kInfinity, 1, 255), 0);
}

TEST(QuantizeValueTest, WhatIsClippedWrapsWithHighZeroPoints) {
  for (const float x : {1e10f, kInfinity, kNan}) {
    EXPECT_EQ(QuantizeValue(x, 1, 0), 255);
    EXPECT_EQ(QuantizeValue(x, 1, 127), 255);
    EXPECT_EQ(QuantizeValue(x, 1, 128), 0);
    EXPECT_EQ(QuantizeValue(x, 1, 255), 0);
  }
  EXPECT_EQ(QuantizeValue(0, kInfinity, 10), 255);
}

}  // namespace
}  // namespace ns::kernels
