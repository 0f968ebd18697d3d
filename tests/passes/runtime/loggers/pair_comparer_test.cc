#include "passes/runtime/loggers/pair_comparer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PairComparerTest, LooksForExchangedAxesInTheFirstPair) {
  const at::Tensor x = at::randn({4, 4});
  PairComparer comparer;
  comparer.Compare(x, x.t());
  ASSERT_TRUE(comparer.record().exchanged.has_value());
  EXPECT_EQ(comparer.record().exchanged->second, 1);
  comparer.Clear();
  comparer.Compare(x, x);
  comparer.EndBatch();
  comparer.Compare(x, x.t());
  EXPECT_FALSE(comparer.record().exchanged.has_value());
  // Other shapes are looked at, too, and not compared.
  const at::Tensor wide = at::randn({2, 8});
  PairComparer other;
  other.Compare(wide, wide.t());
  EXPECT_TRUE(other.record().exchanged.has_value());
  EXPECT_THAT(other.problem(), HasSubstr("shapes differ"));
}

at::Tensor Filled(double value) { return at::full({2, 3}, value); }

PairComparerOptions Channels(ChannelDim channels) {
  PairComparerOptions options;
  options.channels = channels;
  return options;
}

PairComparerOptions InLoop() {
  PairComparerOptions options;
  options.in_loop = true;
  return options;
}

// The sum of squared errors of each channel of random values of shape `sizes`,
// and what a comparer says of it.
std::vector<double> ChannelErrors(ChannelDim channels, at::IntArrayRef sizes) {
  PairComparer comparer(Channels(channels));
  comparer.Compare(at::zeros(sizes), at::arange(at::zeros(sizes).numel(),
                                                at::TensorOptions(at::kFloat))
                                         .reshape(sizes));
  std::vector<double> errors;
  for (const ChannelSums& sums : comparer.record().pooled.channels) {
    errors.push_back(sums.sum_e2);
  }
  return errors;
}

std::vector<double> ErrorsAlong(int64_t dim, at::IntArrayRef sizes) {
  const at::Tensor values =
      at::arange(at::zeros(sizes).numel(), at::TensorOptions(at::kDouble))
          .reshape(sizes)
          .transpose(0, dim)
          .reshape({sizes[dim], -1});
  const at::Tensor sums = (values * values).sum(1).contiguous();
  return {sums.data_ptr<double>(), sums.data_ptr<double>() + sums.numel()};
}

// The fingerprints of calls with these pairs, in batches of `batch` calls.
PairFingerprints Fingerprints(
    const std::vector<std::pair<at::Tensor, at::Tensor>>& pairs,
    size_t batch = 9) {
  PairComparerOptions options;
  options.fingerprints = true;
  PairComparer comparer(options);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0 && i % batch == 0) {
      comparer.EndBatch();
    }
    comparer.Compare(pairs[i].first, pairs[i].second);
  }
  comparer.EndBatch();
  return comparer.record().fingerprints.value();
}

TEST(PairComparerTest, FingerprintsAreOfTheBitsOfEachSide) {
  const at::Tensor x = at::randn({4, 4});
  const at::Tensor y = at::randn({4, 4});
  const PairFingerprints once = Fingerprints({{x, y}});
  EXPECT_EQ(Fingerprints({{x, x}}).x, once.x);
  EXPECT_EQ(Fingerprints({{y, y}}).y, once.y);
  EXPECT_NE(once.x, once.y);
  // Which call and batch a value belongs to counts.
  EXPECT_NE(Fingerprints({{x, y}, {y, y}}).x, Fingerprints({{y, y}, {x, y}}).x);
  EXPECT_NE(Fingerprints({{x, y}, {y, y}}, 1).x,
            Fingerprints({{x, y}, {y, y}}, 2).x);
  // Values of other shapes are hashed, too.
  EXPECT_NE(Fingerprints({{x, y.flatten()}}).y, 0U);
}

TEST(PairComparerTest, GathersWhatComparePairFinds) {
  const at::Tensor x = at::randn({3, 4});
  const at::Tensor y = at::quantize_per_tensor(x, 0.1, 60, at::kQUInt8);
  PairComparer comparer;
  comparer.Compare(x, y);
  comparer.EndBatch();
  const PairRecord& record = comparer.record();
  const PairStatistics expected = ComparePair(x, y);
  EXPECT_EQ(record.pooled.sums.count, 12);
  EXPECT_NEAR(record.pooled.sums.SqnrDb(), expected.SqnrDb(), 1e-6);
  EXPECT_EQ(record.pooled.sums.max_abs_error, expected.max_abs_error);
  EXPECT_EQ(record.pooled.codes.total, 12);
  ASSERT_THAT(record.batches, SizeIs(1));
  EXPECT_EQ(record.batches[0].ToNumbers(), record.pooled.sums.ToNumbers());
  EXPECT_THAT(record.trips, IsEmpty());
  EXPECT_THAT(record.shape, ElementsAre(3, 4));
  EXPECT_EQ(comparer.problem(), "");
}

TEST(PairComparerTest, HasNoDetailsUnlessAsked) {
  PairComparerOptions options;
  options.by_batch = false;
  options.codes = false;
  options.in_loop = true;
  PairComparer comparer(options);
  const at::Tensor x = at::randn({3, 4});
  const at::Tensor y = at::quantize_per_tensor(x, 0.1, 60, at::kQUInt8);
  comparer.Compare(x, y);
  comparer.EndBatch();
  comparer.Compare(x, y);
  comparer.EndBatch();
  const PairRecord& record = comparer.record();
  // All batches are one.
  ASSERT_THAT(record.batches, SizeIs(1));
  EXPECT_EQ(record.batches[0].ToNumbers(), record.pooled.sums.ToNumbers());
  EXPECT_EQ(record.pooled.codes.total, 0);
  EXPECT_EQ(record.pooled.sums.count, 24);
  EXPECT_NEAR(record.pooled.sums.SqnrDb(), ComparePair(x, y).SqnrDb(), 1e-6);
  EXPECT_THAT(record.shape, ElementsAre(3, 4));
}

TEST(PairComparerTest, WithoutDetailsShapeIsThatOfTheFirstValuesToo) {
  PairComparerOptions options;
  options.by_batch = false;
  options.codes = false;
  PairComparer comparer(options);
  for (const int64_t size : {2, 3}) {
    comparer.Compare(at::ones({size}), at::ones({size}));
    comparer.EndBatch();
  }
  EXPECT_THAT(comparer.record().shape, ElementsAre(2));
}

TEST(PairComparerTest, CallsOfOneBatchAddUp) {
  PairComparer comparer;
  comparer.Compare(Filled(1), Filled(1));
  comparer.Compare(Filled(2), Filled(4));
  comparer.EndBatch();
  comparer.Compare(Filled(3), Filled(3));
  comparer.EndBatch();
  ASSERT_THAT(comparer.record().batches, SizeIs(2));
  EXPECT_EQ(comparer.record().batches[0].count, 12);
  EXPECT_EQ(comparer.record().batches[0].sum_e2, 6 * 4);
  EXPECT_EQ(comparer.record().batches[1].sum_e2, 0);
  EXPECT_EQ(comparer.record().pooled.sums.count, 18);
  EXPECT_THAT(comparer.record().trips, IsEmpty());
}

TEST(PairComparerTest, BatchWithoutValuesHasNoEntry) {
  PairComparer comparer;
  comparer.EndBatch();
  comparer.Compare(Filled(1), Filled(2));
  comparer.EndBatch();
  comparer.EndBatch();
  EXPECT_THAT(comparer.record().batches, SizeIs(1));
}

TEST(PairComparerTest, TripsAddUpOverBatchesByPosition) {
  PairComparer comparer(InLoop());
  for (const int trips : {2, 3}) {
    for (int trip = 0; trip < trips; ++trip) {
      comparer.Compare(Filled(0), Filled(trip));
    }
    comparer.EndBatch();
  }
  const auto& trips = comparer.record().trips;
  ASSERT_THAT(trips, SizeIs(3));
  EXPECT_EQ(trips[0].sum_e2, 0);
  EXPECT_EQ(trips[1].sum_e2, 2 * 6 * 1);
  EXPECT_EQ(trips[2].sum_e2, 6 * 4);
  EXPECT_EQ(trips[2].count, 6);
}

TEST(PairComparerTest, TripThatCannotBeComparedKeepsItsPlace) {
  PairComparer comparer(InLoop());
  comparer.Compare(at::ones({1}), at::ones({2}));
  comparer.Compare(Filled(1), Filled(2));
  comparer.EndBatch();
  const auto& trips = comparer.record().trips;
  ASSERT_THAT(trips, SizeIs(2));
  EXPECT_EQ(trips[0].count, 0);
  EXPECT_TRUE(std::isnan(trips[0].SqnrDb()));
  EXPECT_EQ(trips[1].count, 6);
}

// The values of `order` ("x" or "y", then the value's number) come by.
std::vector<std::pair<double, double>> PairsSeen(
    const std::vector<std::string>& order, PairComparer& comparer) {
  // The comparer keeps its observers.
  const auto pairs = std::make_shared<std::vector<std::pair<double, double>>>();
  comparer.AddObserver(
      [pairs](const at::Tensor& x, const at::Tensor& y, int64_t) {
        pairs->emplace_back(x[0].item<double>(), y[0].item<double>());
      });
  for (const std::string& one : order) {
    const at::Tensor value = at::full({1}, std::stod(one.substr(1)));
    one[0] == 'x' ? comparer.SeeX(value) : comparer.SeeY(value);
  }
  comparer.EndBatch();
  return *pairs;
}

TEST(PairComparerTest, ApartValuesMeetInAnyOrder) {
  const std::vector<std::vector<std::string>> orders = {
      {"x1", "y10", "x2", "y20", "x3", "y30"},
      {"x1", "x2", "x3", "y10", "y20", "y30"},
      {"y10", "y20", "y30", "x1", "x2", "x3"},
      {"x1", "y10", "y20", "x2", "x3", "y30"},
      {"y10", "x1", "x2", "x3", "y20", "y30"}};
  for (const auto& order : orders) {
    PairComparer comparer;
    EXPECT_THAT(PairsSeen(order, comparer),
                ElementsAre(std::pair(1., 10.), std::pair(2., 20.),
                            std::pair(3., 30.)));
    EXPECT_EQ(comparer.record().only_x, 0);
    EXPECT_EQ(comparer.record().only_y, 0);
  }
}

TEST(PairComparerTest, WhatWaitsAtTheEndOfABatchIsCountedAndForgotten) {
  PairComparer comparer;
  EXPECT_THAT(PairsSeen({"x1", "x2", "y10", "x3"}, comparer),
              ElementsAre(std::pair(1., 10.)));
  EXPECT_EQ(comparer.record().only_x, 2);
  EXPECT_THAT(PairsSeen({"y4", "x5", "y6"}, comparer),
              ElementsAre(std::pair(5., 4.)));
  EXPECT_EQ(comparer.record().only_x, 2);
  EXPECT_EQ(comparer.record().only_y, 1);
  EXPECT_THAT(comparer.record().batches, SizeIs(2));
}

TEST(PairComparerTest, WaitingValuesAreCopies) {
  for (const bool x_first : {false, true}) {
    PairComparer comparer;
    at::Tensor early = Filled(1);
    x_first ? comparer.SeeX(early) : comparer.SeeY(early);
    early.fill_(7);
    x_first ? comparer.SeeY(Filled(1)) : comparer.SeeX(Filled(1));
    comparer.EndBatch();
    EXPECT_EQ(comparer.record().pooled.sums.count, 6);
    EXPECT_EQ(comparer.record().pooled.sums.max_abs_error, 0);
  }
}

TEST(PairComparerTest, WaitingValuesStayQuantized) {
  PairComparer comparer;
  const at::Tensor x = Filled(1);
  comparer.SeeY(at::quantize_per_tensor(x, 0.5, 3, at::kQUInt8));
  comparer.SeeX(x);
  comparer.EndBatch();
  EXPECT_EQ(comparer.record().pooled.codes.total, 6);
  EXPECT_TRUE(comparer.record().pooled.codes.IsUsed(5));
}

TEST(PairComparerTest, ValueThatMetIsNotKept) {
  PairComparer comparer;
  const at::Tensor x = Filled(1);
  comparer.SeeX(x);
  EXPECT_EQ(x.use_count(), 1);
  const at::Tensor y = Filled(1);
  comparer.SeeY(y);
  EXPECT_EQ(y.use_count(), 1);
  comparer.Compare(x, y);
  EXPECT_EQ(x.use_count(), 1);
  EXPECT_EQ(y.use_count(), 1);
}

TEST(PairComparerTest, MissesCountTheOtherSide) {
  PairComparer comparer;
  comparer.MissX();
  comparer.MissX();
  comparer.MissY();
  comparer.EndBatch();
  EXPECT_EQ(comparer.record().only_y, 2);
  EXPECT_EQ(comparer.record().only_x, 1);
  EXPECT_THAT(comparer.record().batches, IsEmpty());
}

TEST(PairComparerTest, SaysWhichShapesDiffer) {
  PairComparer comparer;
  comparer.Compare(at::ones({2, 3}), at::ones({2, 1}));
  comparer.EndBatch();
  EXPECT_THAT(comparer.problem(), HasSubstr("[2, 3] and [2, 1]"));
  EXPECT_EQ(comparer.record().pooled.sums.count, 0);
  EXPECT_THAT(comparer.record().batches, IsEmpty());
  EXPECT_THAT(comparer.record().shape, IsEmpty());
}

TEST(PairComparerTest, NestedAndSparseTensorsAreNamed) {
  const at::Tensor dense = at::rand({2, 3});
  for (const at::Tensor& other :
       {at::_nested_tensor_from_tensor_list({dense[0], dense[1]}),
        dense.to_sparse()}) {
    PairComparer comparer;
    comparer.Compare(dense, other);
    comparer.Compare(other, other);
    EXPECT_THAT(comparer.problem(), HasSubstr("nested and sparse"));
    EXPECT_EQ(comparer.record().pooled.sums.count, 0);
  }
}

TEST(PairComparerTest, DoesNotBroadcast) {
  PairComparer comparer;
  comparer.Compare(at::ones({1}), at::ones({}));
  EXPECT_NE(comparer.problem(), "");
}

TEST(PairComparerTest, ComparesComplexNumbers) {
  PairComparer comparer({false, ChannelDim::kLast});
  const at::Tensor x = at::complex(at::ones({2, 3}), at::zeros({2, 3}));
  comparer.Compare(x, x * 0.9);
  EXPECT_EQ(comparer.problem(), "");
  comparer.EndBatch();
  const PairRecord& record = comparer.record();
  EXPECT_NEAR(record.pooled.sums.SqnrDb(), 20, 1e-5);
  EXPECT_EQ(record.shape, (std::vector<int64_t>{2, 3}));
  ASSERT_EQ(record.pooled.channels.size(), 3);
  EXPECT_EQ(record.pooled.channels[2].sum_x2, 2);
}

TEST(PairComparerTest, ComparesIntegersUnlessTheyAreToBeLeftAlone) {
  PairComparerOptions options;
  for (const bool integers : {true, false}) {
    options.integers = integers;
    PairComparer comparer(options);
    comparer.Compare(at::ones({3}, at::kLong), at::zeros({3}, at::kLong));
    comparer.Compare(at::ones({2}, at::kBool), at::ones({2}, at::kBool));
    comparer.Compare(at::ones({4}), at::ones({4}));
    comparer.Compare(at::quantize_per_tensor(at::ones({1}), 1, 0, at::kQInt8),
                     at::quantize_per_tensor(at::ones({1}), 1, 0, at::kQInt8));
    EXPECT_EQ(comparer.record().pooled.sums.count, integers ? 10 : 5);
  }
}

TEST(PairComparerTest, ProblemStaysWhenLaterValuesAreCompared) {
  PairComparer comparer;
  comparer.Compare(at::ones({2}), at::ones({3}));
  comparer.Compare(Filled(1), Filled(1));
  comparer.EndBatch();
  EXPECT_NE(comparer.problem(), "");
  EXPECT_THAT(comparer.record().shape, ElementsAre(2, 3));
  EXPECT_EQ(comparer.record().pooled.sums.count, 6);
}

TEST(PairComparerTest, ShapeIsThatOfTheFirstValues) {
  PairComparer comparer;
  comparer.Compare(at::ones({2}), at::ones({2}));
  comparer.Compare(at::ones({3}), at::ones({3}));
  comparer.EndBatch();
  comparer.Compare(at::ones({4}), at::ones({4}));
  comparer.EndBatch();
  EXPECT_THAT(comparer.record().shape, ElementsAre(2));
}

TEST(PairComparerTest, ComparesScalarsAndEmptyTensors) {
  PairComparer comparer(Channels(ChannelDim::kByRank));
  comparer.Compare(at::ones({}), at::zeros({}));
  comparer.Compare(at::ones({0, 3}), at::ones({0, 3}));
  comparer.EndBatch();
  EXPECT_EQ(comparer.problem(), "");
  EXPECT_EQ(comparer.record().pooled.sums.count, 1);
}

TEST(PairComparerTest, CountsValuesThatAreNotFinite) {
  PairComparer comparer;
  const float inf = INFINITY;
  comparer.Compare(at::tensor({1.f, inf, NAN}), at::tensor({inf, -inf, NAN}));
  comparer.EndBatch();
  const PairStatistics& sums = comparer.record().pooled.sums;
  EXPECT_EQ(sums.nan_x, 1);
  EXPECT_EQ(sums.inf_x, 1);
  EXPECT_EQ(sums.nan_y, 1);
  EXPECT_EQ(sums.inf_y, 2);
}

TEST(PairComparerTest, NoChannelsUnlessAsked) {
  EXPECT_THAT(ChannelErrors(ChannelDim::kNone, {2, 3, 4, 5}), IsEmpty());
}

TEST(PairComparerTest, SecondDimensionHoldsChannelsOfNorms) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{2, 3}, {2, 3, 4}, {2, 3, 4, 5}, {2, 3, 4, 5, 2}}) {
    EXPECT_EQ(ChannelErrors(ChannelDim::kSecond, sizes), ErrorsAlong(1, sizes));
  }
  EXPECT_THAT(ChannelErrors(ChannelDim::kSecond, {4}), IsEmpty());
}

TEST(PairComparerTest, LastDimensionHoldsChannelsOfLinearLayers) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{3}, {2, 3}, {2, 3, 4}, {2, 3, 4, 5}}) {
    EXPECT_EQ(ChannelErrors(ChannelDim::kLast, sizes),
              ErrorsAlong(static_cast<int64_t>(sizes.size()) - 1, sizes));
  }
  EXPECT_THAT(ChannelErrors(ChannelDim::kLast, {}), IsEmpty());
}

TEST(PairComparerTest, ChannelsAreThoseOfTheShapeInAnyLayout) {
  at::manual_seed(2);
  const at::Tensor x = at::randn({2, 3, 4, 5});
  const at::Tensor y = at::randn({2, 3, 4, 5});
  PairComparer plain(Channels(ChannelDim::kSecond));
  plain.Compare(x, y);
  PairComparer mixed(Channels(ChannelDim::kSecond));
  mixed.Compare(x, y.contiguous(at::MemoryFormat::ChannelsLast));
  ASSERT_THAT(mixed.record().pooled.channels, SizeIs(3));
  for (int i = 0; i < 3; ++i) {
    const double expected = (x - y).select(1, i).pow(2).sum().item<double>();
    EXPECT_NEAR(mixed.record().pooled.channels[i].sum_e2, expected, 1e-4);
    EXPECT_NEAR(plain.record().pooled.channels[i].sum_e2, expected, 1e-4);
  }
}

TEST(PairComparerTest, ClearForgetsAllButOptionsAndObserver) {
  PairComparerOptions options = InLoop();
  options.channels = ChannelDim::kLast;
  PairComparer comparer(options);
  int seen = 0;
  comparer.AddObserver([&](const at::Tensor&, const at::Tensor&, int64_t call) {
    EXPECT_EQ(call, 0);
    ++seen;
  });
  comparer.Compare(Filled(1), Filled(2));
  comparer.SeeX(Filled(1));
  comparer.MissX();
  comparer.Compare(at::ones({2}), at::ones({3}));
  comparer.Clear();
  const PairRecord& record = comparer.record();
  EXPECT_EQ(record.pooled.sums.ToNumbers(), PairStatistics().ToNumbers());
  EXPECT_THAT(record.pooled.channels, IsEmpty());
  EXPECT_THAT(record.batches, IsEmpty());
  EXPECT_THAT(record.trips, IsEmpty());
  EXPECT_THAT(record.shape, IsEmpty());
  EXPECT_EQ(record.only_x, 0);
  EXPECT_EQ(record.only_y, 0);
  EXPECT_EQ(comparer.problem(), "");
  EXPECT_TRUE(comparer.options().in_loop);
  comparer.Compare(at::ones({5}), at::ones({5}));
  comparer.SeeY(Filled(1));
  comparer.EndBatch();
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(comparer.record().only_y, 1);
  EXPECT_THAT(comparer.record().shape, ElementsAre(5));
  EXPECT_THAT(comparer.record().trips, SizeIs(1));
}

TEST(PairComparerTest, ADisabledOneGathersNothing) {
  PairComparer comparer;
  comparer.SetEnabled(false);
  comparer.Compare(Filled(1), Filled(2));
  comparer.SeeX(Filled(1));
  comparer.MissX();
  comparer.MissY();
  comparer.EndBatch();
  EXPECT_THAT(comparer.record().batches, IsEmpty());
  EXPECT_EQ(comparer.record().only_x, 0);
  EXPECT_EQ(comparer.record().only_y, 0);
  comparer.SetEnabled(true);
  comparer.Compare(Filled(1), Filled(2));
  comparer.EndBatch();
  EXPECT_THAT(comparer.record().batches, SizeIs(1));
}

TEST(PairComparerTest, ObserversSeeEveryComparedPairOfTheBatch) {
  PairComparer comparer;
  std::vector<int64_t> calls;
  int others = 0;
  comparer.AddObserver(
      [&](const at::Tensor&, const at::Tensor&, int64_t) { ++others; });
  comparer.AddObserver(
      [&](const at::Tensor& x, const at::Tensor& y, int64_t call) {
        EXPECT_EQ(x.sizes(), y.sizes());
        calls.push_back(call);
      });
  comparer.Compare(Filled(1), Filled(2));
  comparer.SeeX(Filled(1));
  comparer.SeeY(Filled(1));
  comparer.EndBatch();
  comparer.Compare(Filled(1), Filled(2));
  comparer.EndBatch();
  EXPECT_THAT(calls, ElementsAre(0, 1, 0));
  EXPECT_EQ(others, 3);
}

TEST(PairComparerTest, UndefinedTensorsHaveNoFigure) {
  PairComparer comparer;
  comparer.Compare(at::Tensor(), at::Tensor());
  comparer.Compare(Filled(1), at::Tensor());
  comparer.SeeX(at::Tensor());
  comparer.SeeY(at::Tensor());
  comparer.SeeY(at::Tensor());
  comparer.SeeX(Filled(1));
  comparer.EndBatch();
  EXPECT_TRUE(comparer.record().batches.empty());
  EXPECT_EQ(comparer.problem(), "");
  comparer.Compare(Filled(2), Filled(1));
  comparer.EndBatch();
  EXPECT_EQ(comparer.record().pooled.sums.count, 6);
}

}  // namespace
}  // namespace ns
