#include "passes/runtime/loggers/pair_record.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Whole numbers, whose sums are exact in any order.
at::Tensor Numbers(int seed) {
  at::manual_seed(seed);
  return at::randint(-20, 20, {2, 3, 4, 4}).to(at::kFloat);
}

// What a comparer gathers from batches `first` up to `last`; each has calls
// with values, and values that only one model has.
PairRecord RecordOf(int first, int last, const PairComparerOptions& options) {
  PairComparer comparer(options);
  for (int batch = first; batch < last; ++batch) {
    for (int call = 0; call <= batch; ++call) {
      comparer.Compare(Numbers(10 * batch + call), Numbers(100 + batch));
    }
    comparer.MissX();
    comparer.SeeX(at::ones({1}));
    comparer.EndBatch();
  }
  return comparer.record();
}

void ExpectEqual(const PairStatistics& x, const PairStatistics& y) {
  EXPECT_EQ(x.ToNumbers(), y.ToNumbers());
}

void ExpectEqual(const PairRecord& x, const PairRecord& y) {
  EXPECT_EQ(x.pooled.ToNumbers(), y.pooled.ToNumbers());
  ASSERT_EQ(x.batches.size(), y.batches.size());
  for (size_t i = 0; i < x.batches.size(); ++i) {
    ExpectEqual(x.batches[i], y.batches[i]);
  }
  ASSERT_EQ(x.trips.size(), y.trips.size());
  for (size_t i = 0; i < x.trips.size(); ++i) {
    ExpectEqual(x.trips[i], y.trips[i]);
  }
  EXPECT_EQ(x.shape, y.shape);
  EXPECT_EQ(x.only_x, y.only_x);
  EXPECT_EQ(x.only_y, y.only_y);
}

PairComparerOptions LoopWithChannels() {
  PairComparerOptions options;
  options.in_loop = true;
  options.channels = ChannelDim::kSecond;
  return options;
}

TEST(PairRecordTest, MergedRecordsAreThatOfOneRun) {
  for (const PairComparerOptions& options :
       {PairComparerOptions(), LoopWithChannels()}) {
    for (int split = 0; split <= 4; ++split) {
      PairRecord merged = RecordOf(0, split, options);
      merged.Merge(RecordOf(split, 4, options));
      ExpectEqual(merged, RecordOf(0, 4, options));
    }
  }
}

TEST(PairRecordTest, MergeIsAssociative) {
  const PairComparerOptions options = LoopWithChannels();
  PairRecord left = RecordOf(0, 1, options);
  left.Merge(RecordOf(1, 3, options));
  left.Merge(RecordOf(3, 5, options));
  PairRecord right = RecordOf(1, 3, options);
  right.Merge(RecordOf(3, 5, options));
  PairRecord all = RecordOf(0, 1, options);
  all.Merge(right);
  ExpectEqual(left, all);
}

TEST(PairRecordTest, BatchesOfTheOtherComeBehind) {
  PairRecord record = RecordOf(0, 1, {});
  record.Merge(RecordOf(2, 3, {}));
  ASSERT_THAT(record.batches, SizeIs(2));
  ExpectEqual(record.batches[0], RecordOf(0, 1, {}).pooled.sums);
  ExpectEqual(record.batches[1], RecordOf(2, 3, {}).pooled.sums);
}

TEST(PairRecordTest, TripsAddUpWhereOneRecordHasMore) {
  const PairComparerOptions options = LoopWithChannels();
  const PairRecord two = RecordOf(1, 2, options);
  const PairRecord three = RecordOf(2, 3, options);
  for (const bool longer_first : {false, true}) {
    PairRecord record = longer_first ? three : two;
    record.Merge(longer_first ? two : three);
    ASSERT_THAT(record.trips, SizeIs(3));
    EXPECT_EQ(record.trips[1].count, 2 * 96);
    ExpectEqual(record.trips[2], three.trips[2]);
  }
}

TEST(PairRecordTest, ShapeIsThatOfTheFirstValues) {
  PairRecord empty;
  PairRecord small;
  small.shape = {1, 2};
  PairRecord large;
  large.shape = {5, 2};
  small.Merge(large);
  EXPECT_THAT(small.shape, ElementsAre(1, 2));
  empty.Merge(large);
  EXPECT_THAT(empty.shape, ElementsAre(5, 2));
  large.Merge(PairRecord());
  EXPECT_THAT(large.shape, ElementsAre(5, 2));
}

TEST(PairRecordTest, EmptyRecordChangesNothing) {
  const PairRecord record = RecordOf(0, 3, LoopWithChannels());
  PairRecord merged = record;
  merged.Merge(PairRecord());
  ExpectEqual(merged, record);
  PairRecord onto_empty;
  EXPECT_THAT(onto_empty.batches, IsEmpty());
  onto_empty.Merge(record);
  ExpectEqual(onto_empty, record);
}

TEST(PairRecordTest, MergesWithItself) {
  PairRecord record = RecordOf(0, 2, LoopWithChannels());
  const PairRecord copy = record;
  record.Merge(copy);
  EXPECT_EQ(record.pooled.sums.count, 2 * copy.pooled.sums.count);
  EXPECT_THAT(record.batches, SizeIs(4));
  EXPECT_EQ(record.only_x, 4);
  EXPECT_EQ(record.only_y, 4);
}

}  // namespace
}  // namespace ns
