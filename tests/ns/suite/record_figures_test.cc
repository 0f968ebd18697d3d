#include "ns/suite/record_figures.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Three channels, of which the first has no error, the second one of a tenth,
// and the third nothing but an error.
const float kErrors[] = {0, 0.1F, 1};

PairRecord RecordOf(const TensorStatisticsOptions& options) {
  at::Tensor x = at::ones({1, 3, 8});
  x.select(1, 2).zero_();
  at::Tensor y = x.clone();
  for (int channel = 0; channel < 3; ++channel) {
    y.select(1, channel) += kErrors[channel];
  }
  PairRecord record;
  record.pooled = CompareTensors(x, y, options);
  record.batches = {record.pooled.sums};
  record.shape = x.sizes().vec();
  return record;
}

double Db(double signal, double noise) {
  return 10 * std::log10(signal / noise);
}

TEST(RecordFiguresTest, FiguresOfAllElements) {
  PairRecord record = RecordOf({});
  record.trips = {record.pooled.sums, record.pooled.sums};
  const ActivationComparison figures = FiguresOfRecord(record, 2);
  EXPECT_THAT(figures.shape, ElementsAre(1, 3, 8));
  EXPECT_EQ(figures.elements, 24);
  EXPECT_NEAR(figures.error.sqnr_db, Db(16, 8 * 1.01), 1e-5);
  EXPECT_THAT(figures.batch_sqnr_db, ElementsAre(figures.error.sqnr_db));
  EXPECT_THAT(figures.trip_sqnr_db, SizeIs(2));
  EXPECT_EQ(figures.ranges->float_min, 0);
  EXPECT_EQ(figures.ranges->float_max, 1);
  EXPECT_NEAR(figures.ranges->quantized_max, 1.1, 1e-6);
  EXPECT_EQ(figures.non_finite->float_nan, 0);
  // Nothing else was gathered.
  EXPECT_FALSE(figures.codes.has_value());
  EXPECT_FALSE(figures.outliers.has_value());
  EXPECT_THAT(figures.channel_sqnr_db, IsEmpty());
  EXPECT_THAT(figures.worst_channels, IsEmpty());
}

TEST(RecordFiguresTest, WorstChannelsComeFirst) {
  TensorStatisticsOptions options;
  options.channel_dim = 1;
  const ActivationComparison figures = FiguresOfRecord(RecordOf(options), 2);
  ASSERT_THAT(figures.channel_sqnr_db, SizeIs(3));
  EXPECT_EQ(figures.channel_sqnr_db[0], INFINITY);
  EXPECT_NEAR(figures.channel_sqnr_db[1], 20, 1e-4);
  EXPECT_EQ(figures.channel_sqnr_db[2], -INFINITY);
  ASSERT_THAT(figures.worst_channels, SizeIs(2));
  EXPECT_EQ(figures.worst_channels[0].channel, 2);
  EXPECT_EQ(figures.worst_channels[1].channel, 1);
  EXPECT_THAT(FiguresOfRecord(RecordOf(options), 0).worst_channels, IsEmpty());
}

TEST(RecordFiguresTest, ChannelsAreSummedUpWhetherTheyAreListedOrNot) {
  TensorStatisticsOptions options;
  options.channel_dim = 1;
  for (const int64_t worst_channels : {0, 2}) {
    const ActivationComparison figures =
        FiguresOfRecord(RecordOf(options), worst_channels);
    ASSERT_TRUE(figures.channels.has_value());
    EXPECT_EQ(figures.channels->channels, 3);
    EXPECT_NEAR(figures.channels->median_sqnr_db, 20, 1e-4);
    EXPECT_EQ(figures.channels->below_3db, 1);
    EXPECT_EQ(figures.channel_sqnr_db.empty(), worst_channels == 0);
  }
  EXPECT_FALSE(FiguresOfRecord(RecordOf({}), 2).channels.has_value());
}

// Strips of `count` channels, of which number i has an error of 0.1 * (i + 1).
std::vector<double> StripOf(int64_t count) {
  const at::Tensor x = at::ones({1, count, 8});
  const at::Tensor y =
      x + 0.1 * at::arange(1, count + 1, at::kFloat).view({1, count, 1});
  TensorStatisticsOptions options;
  options.channel_dim = 1;
  PairRecord record;
  record.pooled = CompareTensors(x, y, options);
  return FiguresOfRecord(record, 0).channels->strip_db;
}

TEST(RecordFiguresTest, StripsHaveAtMost16CellsEachWithItsLowest) {
  EXPECT_THAT(StripOf(2), ElementsAre(20, 14));
  EXPECT_THAT(StripOf(16), SizeIs(16));
  const std::vector<double> of_forty = StripOf(40);
  ASSERT_THAT(of_forty, SizeIs(14));  // Groups of three, and one of one.
  EXPECT_EQ(of_forty[0], std::round(10 * Db(1, 0.09)) / 10);
  EXPECT_EQ(of_forty[13], std::round(10 * Db(1, 16)) / 10);
}

TEST(RecordFiguresTest, CountsQuantizedValuesAndNumbersThatAreNone) {
  const at::Tensor x = at::tensor({-1.0F, 0.0F, 5.0F, NAN});
  const at::Tensor y = at::quantize_per_tensor(
      at::tensor({-1.0F, 0.0F, 5.0F, 0.0F}), 0.01, 100, at::kQUInt8);
  PairRecord record;
  record.pooled = CompareTensors(x, y);
  const ActivationComparison figures = FiguresOfRecord(record, 0);
  // -1 is the lowest quantized value, and 5 is clipped to the highest.
  EXPECT_EQ(figures.codes->at_lowest, 1);
  EXPECT_EQ(figures.codes->at_highest, 1);
  EXPECT_EQ(figures.codes->unused, 253);
  EXPECT_EQ(figures.non_finite->float_nan, 1);
  EXPECT_TRUE(std::isnan(figures.error.sqnr_db));
}

// One error of 1 among a thousand of 0.001.
TEST(RecordFiguresTest, TellsOfTheLargestErrors) {
  const at::Tensor x = at::zeros({1001});
  at::Tensor y = at::full({1001}, 0.001);
  y[500] = 1;
  TensorStatisticsOptions options;
  options.errors = true;
  PairRecord record;
  record.pooled = CompareTensors(x, y, options);
  const ActivationComparison figures = FiguresOfRecord(record, 0);
  EXPECT_NEAR(figures.outliers->abs_error_p999, 0.001, 0.001 * 0.03);
  EXPECT_NEAR(figures.outliers->share, 1 / (1 + 1000 * 1e-6), 1e-3);
}

TEST(RecordFiguresTest, ARecordOfNoElementsHasNoRange) {
  const ActivationComparison figures = FiguresOfRecord(PairRecord(), 3);
  EXPECT_EQ(figures.elements, 0);
  EXPECT_FALSE(figures.ranges.has_value());
  EXPECT_TRUE(std::isnan(figures.error.sqnr_db));
}

}  // namespace
}  // namespace ns
