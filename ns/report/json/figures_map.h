// Describes the JSON of figures: of errors, weights and compared values.
#ifndef NS_REPORT_JSON_FIGURES_MAP_H_
#define NS_REPORT_JSON_FIGURES_MAP_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/json/json_keys.h"
#include "ir/json/json_map.h"
#include "ns/result/comparison_result.h"
#include "ns/result/metrics.h"
#include "ns/result/value_histograms.h"

namespace ns {

// All figures are always written. Earlier versions had fewer.
template <typename Io>
void Map(Io& io, ErrorFigures& error) {
  for (const Metric& metric : Metrics()) {
    double& figure = error.*metric.figure;
    if (metric.figure == &ErrorFigures::sqnr_db) {
      io(metric.name, figure);
    } else {
      io.OrElse(metric.name, figure, std::numeric_limits<double>::quiet_NaN());
    }
  }
}

template <typename Io>
void Map(Io& io, ValueRanges& ranges) {
  io.Pair("float", ranges.float_min, ranges.float_max);
  io.Pair("quantized", ranges.quantized_min, ranges.quantized_max);
}

template <typename Io>
void Map(Io& io, NonFiniteCounts& counts) {
  io.Object("float", [&](auto& side) {
    side("nan", counts.float_nan);
    side("inf", counts.float_inf);
  });
  io.Object("quantized", [&](auto& side) {
    side("nan", counts.quantized_nan);
    side("inf", counts.quantized_inf);
  });
}

template <typename Io>
void Map(Io& io, CodeUse& use) {
  io("lowest", use.at_lowest);
  io("highest", use.at_highest);
  io("unused", use.unused);
}

template <typename Io>
void Map(Io& io, ChannelError& error) {
  io("channel", error.channel);
  io("sqnr_db", error.sqnr_db);
}

template <typename Io>
void Map(Io& io, HistogramBins& bins) {
  io("lowest", bins.lowest);
  io("width", bins.width);
}

// The float and the quantized values share their bins.
template <typename Io>
void Map(Io& io, ValueHistograms& histograms) {
  io("samples", histograms.samples);
  io.Object("float", [&](auto& values) {
    Map(values, histograms.value_bins);
    values("counts", histograms.float_counts);
  });
  io.Object("quantized", [&](auto& values) {
    Map(values, histograms.value_bins);
    values("counts", histograms.quantized_counts);
  });
  io.Object("error", [&](auto& errors) {
    Map(errors, histograms.error_bins);
    errors("counts", histograms.error_counts);
  });
  io.Object("error_by_value", [&](auto& table) {
    table("value", histograms.row_bins);
    table("error", histograms.column_bins);
    table("counts", histograms.errors_by_value);
  });
}

template <typename Io>
void Map(Io& io, WeightComparison& weight) {
  io("name", weight.name);
  io("shape", weight.shape);
  Map(io, weight.error);
  io.Optional("histograms", weight.histograms);
}

// Counts that are all 0 are left out.
template <typename Io>
void MapNonFinite(Io& io, ActivationComparison& activation) {
  const auto are_zero = [](const NonFiniteCounts& counts) {
    return counts.float_nan == 0 && counts.float_inf == 0 &&
           counts.quantized_nan == 0 && counts.quantized_inf == 0;
  };
  std::optional<NonFiniteCounts> counts = activation.non_finite;
  if (counts && are_zero(*counts)) {
    counts.reset();
  }
  io.Optional("non_finite", counts);
  if constexpr (Io::kReads) {
    activation.non_finite = counts || !activation.elements
                                ? counts
                                : std::optional(NonFiniteCounts());
  }
}

template <typename Io>
void MapOutliers(Io& io, ActivationComparison& activation) {
  std::optional<double> p999, share;
  if (activation.outliers) {
    p999 = activation.outliers->abs_error_p999;
    share = activation.outliers->share;
  }
  io.Optional("abs_error_p999", p999);
  io.Optional("outlier_share", share);
  io.Check(p999.has_value() == share.has_value(),
           "an object with both \"abs_error_p999\" and \"outlier_share\"");
  if constexpr (Io::kReads) {
    if (p999 && share) {
      activation.outliers = OutlierFigures{*p999, *share};
    }
  }
}

template <typename Io>
void Map(Io& io, AxisExchange& axes) {
  io("first", axes.first);
  io("second", axes.second);
  io("sqnr_db", axes.sqnr_db);
}

template <typename Io>
void MapChannels(Io& io, ActivationComparison& activation) {
  std::optional<ChannelSummary>& channels = activation.channels;
  std::optional<int64_t> count, below, dead;
  std::optional<double> median;
  std::vector<double> strip;
  if (channels) {
    count = channels->channels;
    median = channels->median_sqnr_db;
    below = channels->below_3db;
    dead = channels->dead > 0 ? std::optional(channels->dead) : std::nullopt;
    strip = channels->strip_db;
  }
  io.Optional("channels", count);
  io.Optional("median_channel_sqnr_db", median);
  io.Optional("channels_below_3db", below);
  io.Optional("dead_channels", dead);
  io.Optional("channel_strip_db", strip);
  io.Check(count.has_value() == median.has_value() &&
               count.has_value() == below.has_value(),
           "an object with all of \"channels\", \"median_channel_sqnr_db\" "
           "and \"channels_below_3db\"");
  if constexpr (Io::kReads) {
    if (count && median && below) {
      channels = ChannelSummary{*count, *median, *below, dead.value_or(0),
                                std::move(strip)};
    }
  }
}

inline const std::vector<std::string>& ActivationMembers();

template <typename Io>
void Map(Io& io, ActivationComparison& activation) {
  io("shape", activation.shape);
  Map(io, activation.error);
  io.Numbers(activation.user_figures, ActivationMembers);
  io("batch_sqnr_db", activation.batch_sqnr_db);
  io.Optional("trips", activation.trip_sqnr_db);
  io.Optional("elements", activation.elements);
  io.Optional("range", activation.ranges);
  MapNonFinite(io, activation);
  io.Optional("codes", activation.codes);
  MapChannels(io, activation);
  io.Optional("worst_channels", activation.worst_channels);
  io.Optional("channel_sqnr_db", activation.channel_sqnr_db);
  MapOutliers(io, activation);
  io.Optional("histograms", activation.histograms);
}

// All that the JSON of compared values may hold but the metrics of the user.
inline const std::vector<std::string>& ActivationMembers() {
  static const auto& members =
      *new std::vector<std::string>(JsonPaths<ActivationComparison>());
  return members;
}

}  // namespace ns

#endif  // NS_REPORT_JSON_FIGURES_MAP_H_
