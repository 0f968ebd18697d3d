#include "ns/suite/record_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ns/result/metrics.h"
#include "ns/result/value_histograms.h"
#include "passes/runtime/statistics/codes_in_use.h"
#include "passes/runtime/statistics/error_histogram.h"
#include "passes/runtime/statistics/pair_statistics.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {
namespace {

// OutlierFigures tells of the largest one of 1000 errors.
constexpr double kOutlierShare = 0.001;

// Returns the SQNR in dB of each channel of a tensor of which `elements`
// elements were compared.
std::vector<double> SqnrOfChannels(const std::vector<ChannelSums>& channels,
                                   int64_t elements) {
  std::vector<double> sqnr_db;
  for (const ChannelSums& channel : channels) {
    PairStatistics sums;
    sums.count = elements;
    sums.sum_x2 = channel.sum_x2;
    sums.sum_e2 = channel.sum_e2;
    sqnr_db.push_back(sums.SqnrDb());
  }
  return sqnr_db;
}

// Returns ChannelSummary::strip_db. All groups have as many channels, but the
// last one.
std::vector<double> StripOf(const std::vector<double>& sqnr_db) {
  const size_t channels = sqnr_db.size();
  const size_t group = (channels + kStripCells - 1) / kStripCells;
  std::vector<double> strip;
  for (size_t begin = 0; begin < channels; begin += group) {
    double lowest = std::numeric_limits<double>::quiet_NaN();
    for (size_t i = begin; i < std::min(begin + group, channels); ++i) {
      lowest = std::fmin(lowest, sqnr_db[i]);  // Passes over nan.
    }
    strip.push_back(std::round(10 * lowest) / 10);
  }
  return strip;
}

std::optional<ChannelSummary> SummaryOf(std::vector<double> sqnr_db) {
  std::vector<double> strip = StripOf(sqnr_db);
  sqnr_db.erase(std::remove_if(sqnr_db.begin(), sqnr_db.end(),
                               [](double db) { return std::isnan(db); }),
                sqnr_db.end());
  if (sqnr_db.empty()) {
    return std::nullopt;
  }
  constexpr double kLostDb = 3;
  const auto median =
      sqnr_db.begin() + static_cast<ptrdiff_t>((sqnr_db.size() - 1) / 2);
  std::nth_element(sqnr_db.begin(), median, sqnr_db.end());
  return ChannelSummary{static_cast<int64_t>(sqnr_db.size()), *median,
                        std::count_if(sqnr_db.begin(), sqnr_db.end(),
                                      [](double db) { return db < kLostDb; }),
                        /*dead=*/0, std::move(strip)};
}

std::vector<ChannelError> WorstChannels(const std::vector<double>& sqnr_db,
                                        int64_t count) {
  std::vector<ChannelError> errors;
  for (size_t i = 0; i < sqnr_db.size(); ++i) {
    errors.push_back({static_cast<int64_t>(i), sqnr_db[i]});
  }
  // Channels without a figure come last, beside those without an error.
  const auto rank = [](const ChannelError& error) {
    return error.sqnr_db == error.sqnr_db
               ? error.sqnr_db
               : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const ChannelError& a, const ChannelError& b) {
                     return rank(a) < rank(b);
                   });
  errors.resize(std::min<size_t>(errors.size(), count));
  return errors;
}

}  // namespace

std::optional<ChannelSummary> SummaryOfChannels(
    const std::vector<ChannelSums>& channels, int64_t elements) {
  return SummaryOf(SqnrOfChannels(channels, elements));
}

ActivationComparison FiguresOfRecord(const PairRecord& record,
                                     int64_t worst_channels) {
  const PairStatistics& sums = record.pooled.sums;
  ActivationComparison result;
  result.shape = record.shape;
  result.error = FiguresOf(sums);
  for (const PairStatistics& batch : record.batches) {
    result.batch_sqnr_db.push_back(batch.SqnrDb());
  }
  for (const PairStatistics& trip : record.trips) {
    result.trip_sqnr_db.push_back(trip.SqnrDb());
  }
  result.elements = sums.count;
  if (sums.count > 0) {
    result.ranges = {sums.min_x, sums.max_x, sums.min_y, sums.max_y};
  }
  result.non_finite = {sums.nan_x, sums.inf_x, sums.nan_y, sums.inf_y};
  const CodesInUse& codes = record.pooled.codes;
  if (codes.total > 0) {
    result.codes = {codes.at_lowest, codes.at_highest, codes.Unused()};
  }
  std::vector<double> of_channels =
      SqnrOfChannels(record.pooled.channels, sums.count);
  result.channels = SummaryOf(of_channels);
  if (result.channels) {
    result.channels->dead = record.constant.Count();
  }
  if (worst_channels > 0) {
    result.worst_channels = WorstChannels(of_channels, worst_channels);
    result.channel_sqnr_db = std::move(of_channels);
  }
  const ErrorHistogram& errors = record.pooled.errors;
  if (errors.total() > 0) {
    result.outliers = {errors.Quantile(1 - kOutlierShare),
                       errors.ShareOfSquares(kOutlierShare)};
  }
  if (record.pooled.histograms.total() > 0) {
    result.histograms = HistogramsOf(record.pooled.histograms);
  }
  return result;
}

}  // namespace ns
