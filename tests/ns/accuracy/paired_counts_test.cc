#include "ns/accuracy/paired_counts.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ns {
namespace {

at::Tensor Right(std::initializer_list<bool> samples) {
  at::Tensor right =
      at::empty({static_cast<int64_t>(samples.size())}, at::kBool);
  int64_t i = 0;
  for (const bool is_right : samples) {
    right[i++] = is_right;
  }
  return right;
}

TEST(PairedCountsTest, AddsBatches) {
  PairedCounts counts;
  counts.Add(Right({true, true, false, false}),
             Right({true, false, true, false}));
  counts.Add(Right({true}), Right({false}));
  EXPECT_EQ(counts.samples, 5);
  EXPECT_EQ(counts.float_correct, 3);
  EXPECT_EQ(counts.quantized_correct, 2);
  EXPECT_EQ(counts.lost, 2);
  EXPECT_EQ(counts.won, 1);
  EXPECT_DOUBLE_EQ(counts.drop(), 20);
}

TEST(PairedCountsTest, AnEmptyBatchAddsNothing) {
  PairedCounts counts;
  counts.Add(Right({}), Right({}));
  EXPECT_EQ(counts.samples, 0);
  EXPECT_EQ(counts.lost + counts.won, 0);
}

}  // namespace
}  // namespace ns
