#include "tools/bench/kernels/averages.h"

#include <gtest/gtest.h>

namespace ns::bench {
namespace {

TEST(AveragesTest, MedianOfAnEvenNumberIsBetweenTheMiddleTwo) {
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({5}), 5);
  EXPECT_EQ(Median({}), 0);
}

TEST(AveragesTest, GeometricMeanOfARatioAndItsInverseIsOne) {
  EXPECT_DOUBLE_EQ(GeometricMean({0.25, 4}), 1);
  EXPECT_DOUBLE_EQ(GeometricMean({2, 8}), 4);
  EXPECT_EQ(GeometricMean({}), 0);
}

}  // namespace
}  // namespace ns::bench
