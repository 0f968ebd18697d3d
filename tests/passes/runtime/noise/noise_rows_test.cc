#include "passes/runtime/noise/noise_rows.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

at::Tensor Rows(const std::vector<float>& values, int64_t columns) {
  return at::tensor(values).reshape({-1, columns});
}

// Two samples of two elements. The events' products sum up to 3 and 7, and to
// -1 and 1.
class NoiseRowsTest : public ::testing::Test {
 protected:
  void Add() {
    rows_.Begin(0, 2);
    rows_.Add(0, at::ones({2, 2}), Rows({1, 2, 3, 4}, 2));
    rows_.Add(2, at::full({2, 1}, 0.5), Rows({-2, 2}, 1));
    rows_.End();
  }

  NoiseRows rows_{3};
};

TEST_F(NoiseRowsTest, SumsEventsUpSampleBySample) {
  Add();
  EXPECT_EQ(rows_.RowsOf(0), 2);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0}), 9 + 49);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {2}), 1 + 1);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0, 2}), 2 * 2 + 8 * 8);
  EXPECT_EQ(rows_.PowerOf(0, {1}), 0);
  EXPECT_EQ(rows_.PowerOf(0, {}), 0);
}

TEST_F(NoiseRowsTest, RowsOfBatchesAndOutputsStandBehindEachOther) {
  Add();
  rows_.Begin(1, 1);
  rows_.Add(1, at::ones({1}), at::full({1}, 5.0));
  rows_.End();
  Add();
  EXPECT_EQ(rows_.RowsOf(0), 4);
  EXPECT_EQ(rows_.RowsOf(1), 1);
  EXPECT_EQ(rows_.RowsOf(2), 0);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0}), 2 * (9 + 49));
  EXPECT_DOUBLE_EQ(rows_.PowerOf(1, {0, 1}), 25);
  EXPECT_EQ(rows_.PowerOf(2, {0}), 0);
}

// An event that did not happen in the first rows.
TEST_F(NoiseRowsTest, RowsWithoutAnEventHaveNothingOfIt) {
  Add();
  rows_.Begin(0, 2);
  rows_.Add(1, at::ones({2}), at::tensor(std::vector<float>{1, 3}));
  rows_.End();
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0, 1}), 9 + 49 + 1 + 9);
}

TEST_F(NoiseRowsTest, ValuesOfALoopCountTogether) {
  rows_.Begin(0, 2);
  for (int trip = 0; trip < 3; ++trip) {
    rows_.Add(0, at::ones({2}), at::tensor(std::vector<float>{1, -1}));
  }
  rows_.End();
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0}), 9 + 9);
}

// A value whose first dimension is not the batch.
TEST_F(NoiseRowsTest, WithoutSamplesTheBatchIsOneRow) {
  rows_.Begin(0, 2);
  rows_.Add(0, at::ones({2}), at::tensor(std::vector<float>{1, 2}));
  rows_.Add(1, at::ones({3}), at::tensor(std::vector<float>{1, 1, 1}));
  rows_.End();
  EXPECT_EQ(rows_.RowsOf(0), 1);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0}), 9);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0, 1}), 36);
}

// The derivative of a root at 0 is infinite.
TEST_F(NoiseRowsTest, WhatHasNoErrorMovesNothing) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  rows_.Begin(0, 2);
  rows_.Add(0, at::tensor(std::vector<float>{kInfinity, 1}),
            at::tensor(std::vector<float>{0, 3}));
  rows_.End();
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0}), 9);
}

TEST_F(NoiseRowsTest, AnEffectThatIsNotFiniteIsNeverSmall) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  rows_.Begin(0, 2);
  rows_.Add(0, at::tensor(std::vector<float>{kInfinity, 1}),
            at::tensor(std::vector<float>{1, 3}));
  rows_.Add(1, at::tensor(std::vector<float>{-kInfinity, kNan}), at::ones({2}));
  rows_.Add(2, at::ones({2}), at::ones({2}));
  rows_.End();
  EXPECT_GT(rows_.PowerOf(0, {0}), 1e20);
  EXPECT_GT(rows_.PowerOf(0, {1}), 1e20);
  EXPECT_GT(rows_.PowerOf(0, {0, 1}), 1e20);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {2}), 2);
}

// The sum is finite as a double, in which it is made, and not as a float.
TEST_F(NoiseRowsTest, AnEffectBeyondFloatsHasAFinitePower) {
  rows_.Begin(0, 1);
  rows_.Add(0, at::full({1, 2}, 3e38), at::ones({1, 2}));
  rows_.End();
  EXPECT_GT(rows_.PowerOf(0, {0}), 1e20);
  EXPECT_LT(rows_.PowerOf(0, {0}), 1e31);
}

TEST_F(NoiseRowsTest, AnEmptyBatchHasNoRows) {
  Add();
  rows_.Begin(0, 0);
  rows_.Add(0, at::ones({0, 3}), at::ones({0, 3}));
  rows_.Add(1, at::ones({0}), at::ones({0}));
  rows_.End();
  EXPECT_EQ(rows_.RowsOf(0), 2);
  EXPECT_DOUBLE_EQ(rows_.PowerOf(0, {0}), 9 + 49);
}

}  // namespace
}  // namespace ns
