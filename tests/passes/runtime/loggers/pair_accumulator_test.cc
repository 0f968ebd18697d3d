#include "passes/runtime/loggers/pair_accumulator.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/byte_stream.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Saved(const PairAccumulator& accumulator) {
  ByteWriter writer;
  accumulator.Save(writer);
  return writer.Take();
}

PairAccumulator Loaded(const std::string& bytes) {
  ByteReader reader(bytes);
  PairAccumulator accumulator = PairAccumulator::Load(reader);
  EXPECT_TRUE(reader.AtEnd());
  return accumulator;
}

// Runs batch number `batch`: some calls with values, values that only one model
// has, and in some batches pairs of different shapes. Sums of the values round
// differently in each order.
void RunBatch(int64_t batch, PairComparer& comparer) {
  at::manual_seed(static_cast<uint64_t>(batch));
  comparer.SetBatch(batch);
  const int64_t calls = batch % 4;
  for (int64_t call = 0; call < calls; ++call) {
    const at::Tensor x = at::randn({2, 3, 4, 4 + batch % 2});
    const at::Tensor noise = at::randn_like(x) * (batch % 3 == 0 ? 2 : 0.1);
    comparer.Compare(x,
                     at::quantize_per_tensor(x + noise, 0.1, 128, at::kQUInt8));
  }
  if (batch % 5 == 3) {
    const at::Tensor x = at::randn({2, 3, batch, 7});
    comparer.Compare(x, x.transpose(2, 3));
  }
  comparer.MissX();
  comparer.SeeX(at::ones({1}));
  comparer.EndBatch();
}

PairAccumulator Of(const std::vector<int64_t>& batches,
                   const PairComparerOptions& options) {
  PairComparer comparer(options);
  for (const int64_t batch : batches) {
    RunBatch(batch, comparer);
  }
  return comparer.accumulator();
}

std::vector<int64_t> Batches(int64_t count) {
  std::vector<int64_t> batches(static_cast<size_t>(count));
  std::iota(batches.begin(), batches.end(), 0);
  return batches;
}

std::vector<PairComparerOptions> AllOptions() {
  PairComparerOptions all;
  all.in_loop = true;
  all.channels = ChannelDim::kSecond;
  all.errors = true;
  all.histograms = true;
  all.fingerprints = true;
  PairComparerOptions not_by_batch;
  not_by_batch.by_batch = false;
  not_by_batch.codes = false;
  return {PairComparerOptions(), all, not_by_batch};
}

TEST(PairAccumulatorTest, OrderAndSplitOfBatchesDoNotMatter) {
  std::mt19937_64 random(1);
  for (const PairComparerOptions& options : AllOptions()) {
    const std::string whole = Saved(Of(Batches(16), options));
    for (int round = 0; round < 20; ++round) {
      std::vector<std::vector<int64_t>> parts(1 + random() % 6);
      std::vector<int64_t> batches = Batches(16);
      std::shuffle(batches.begin(), batches.end(), random);
      for (const int64_t batch : batches) {
        parts[random() % parts.size()].push_back(batch);
      }
      PairAccumulator merged(options.by_batch);
      for (std::vector<int64_t>& part : parts) {
        // As a shard runs them.
        std::sort(part.begin(), part.end());
        merged.Merge(Loaded(Saved(Of(part, options))));
      }
      EXPECT_EQ(Saved(merged), whole);
    }
  }
}

TEST(PairAccumulatorTest, LoadedRecordIsThatOfOneRun) {
  for (const PairComparerOptions& options : AllOptions()) {
    const PairAccumulator whole = Of(Batches(9), options);
    const PairRecord expected = whole.Record();
    const PairRecord record = Loaded(Saved(whole)).Record();
    EXPECT_EQ(record.pooled.ToNumbers(), expected.pooled.ToNumbers());
    ASSERT_EQ(record.batches.size(), expected.batches.size());
    for (size_t i = 0; i < record.batches.size(); ++i) {
      EXPECT_EQ(record.batches[i].SqnrDb(), expected.batches[i].SqnrDb());
    }
    ASSERT_EQ(record.trips.size(), expected.trips.size());
    for (size_t i = 0; i < record.trips.size(); ++i) {
      EXPECT_EQ(record.trips[i].ToNumbers(), expected.trips[i].ToNumbers());
    }
    EXPECT_EQ(record.shape, expected.shape);
    EXPECT_EQ(record.constant.Count(), expected.constant.Count());
    EXPECT_EQ(record.exchanged.has_value(), expected.exchanged.has_value());
    ASSERT_EQ(record.fingerprints.has_value(), options.fingerprints);
    if (options.fingerprints) {
      EXPECT_EQ(record.fingerprints->x, expected.fingerprints->x);
      EXPECT_EQ(record.fingerprints->y, expected.fingerprints->y);
    }
    EXPECT_EQ(record.only_x, expected.only_x);
    EXPECT_EQ(record.only_y, expected.only_y);
  }
}

TEST(PairAccumulatorTest, ShapeAndExchangeAreOfTheLowestBatch) {
  const auto with_shape = [](int64_t batch, int64_t size, bool exchanged) {
    PairComparer comparer;
    comparer.SetBatch(batch);
    const at::Tensor x = at::randn({size, size});
    comparer.Compare(x, exchanged ? x.t().contiguous() : x);
    comparer.EndBatch();
    return comparer.accumulator();
  };
  const PairAccumulator first = with_shape(2, 5, true);
  const PairAccumulator second = with_shape(7, 6, false);
  for (const bool in_order : {true, false}) {
    PairAccumulator merged;
    merged.Merge(in_order ? first : second);
    merged.Merge(in_order ? second : first);
    EXPECT_THAT(merged.Record().shape, ElementsAre(5, 5));
    EXPECT_TRUE(merged.Record().exchanged.has_value());
  }
  // A later batch does not count, though its own process saw it first.
  PairAccumulator merged = with_shape(9, 5, true);
  merged.Merge(with_shape(8, 5, false));
  EXPECT_FALSE(merged.Record().exchanged.has_value());
}

TEST(PairAccumulatorTest, ProblemIsThatOfTheHighestBatch) {
  const auto with_problem = [](int64_t batch, std::string problem) {
    PairAccumulator accumulator;
    accumulator.SetBatch(batch);
    accumulator.AddProblem(std::move(problem));
    accumulator.EndBatch();
    return accumulator;
  };
  PairAccumulator merged = with_problem(3, "late");
  merged.Merge(with_problem(1, "early"));
  EXPECT_EQ(merged.problem(), "late");
  merged.Merge(with_problem(4, "latest"));
  EXPECT_EQ(merged.problem(), "latest");
}

TEST(PairAccumulatorTest, EmptyAccumulatorChangesNothing) {
  for (const PairComparerOptions& options : AllOptions()) {
    const PairAccumulator some = Of(Batches(4), options);
    PairAccumulator merged = some;
    merged.Merge(PairAccumulator(options.by_batch));
    EXPECT_EQ(Saved(merged), Saved(some));
    PairAccumulator onto_empty(options.by_batch);
    EXPECT_THAT(onto_empty.Record().batches, IsEmpty());
    onto_empty.Merge(some);
    EXPECT_EQ(Saved(onto_empty), Saved(some));
  }
}

TEST(PairAccumulatorTest, StartsFromASavedRecord) {
  const PairRecord record = Of(Batches(4), {}).Record();
  PairAccumulator accumulator =
      PairAccumulator::FromRecord(record, /*by_batch=*/true);
  EXPECT_EQ(accumulator.Record().pooled.ToNumbers(), record.pooled.ToNumbers());
  EXPECT_THAT(accumulator.Record().batches, SizeIs(3));
  EXPECT_EQ(accumulator.Record().shape, record.shape);
}

TEST(PairAccumulatorTest, BytesThatEndEarlyFail) {
  const std::string bytes = Saved(Of(Batches(6), AllOptions()[1]));
  for (size_t size = 0; size < bytes.size(); size += 7) {
    ByteReader reader(absl::string_view(bytes).substr(0, size));
    PairAccumulator::Load(reader);
    EXPECT_FALSE(reader.AtEnd()) << size;
  }
}

}  // namespace
}  // namespace ns
