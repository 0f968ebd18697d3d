#include "ns/report/json_figures.h"

#include <cstdint>
#include <vector>

#include "ns/report/json_histograms.h"
#include "ns/suite/metrics.h"

namespace ns {
namespace {

void WriteRanges(JsonWriter& json, const ValueRanges& ranges) {
  json.Key("range");
  json.BeginObject();
  json.Member("float", std::vector<double>{ranges.float_min, ranges.float_max});
  json.Member("quantized",
              std::vector<double>{ranges.quantized_min, ranges.quantized_max});
  json.EndObject();
}

void WriteNonFiniteSide(JsonWriter& json, absl::string_view key, int64_t nan,
                        int64_t inf) {
  json.Key(key);
  json.BeginObject();
  json.Member("nan", nan);
  json.Member("inf", inf);
  json.EndObject();
}

bool AreZero(const NonFiniteCounts& counts) {
  return counts.float_nan == 0 && counts.float_inf == 0 &&
         counts.quantized_nan == 0 && counts.quantized_inf == 0;
}

void WriteNonFinite(JsonWriter& json, const NonFiniteCounts& counts) {
  json.Key("non_finite");
  json.BeginObject();
  WriteNonFiniteSide(json, "float", counts.float_nan, counts.float_inf);
  WriteNonFiniteSide(json, "quantized", counts.quantized_nan,
                     counts.quantized_inf);
  json.EndObject();
}

void WriteCodes(JsonWriter& json, const CodeUse& codes) {
  json.Key("codes");
  json.BeginObject();
  json.Member("lowest", codes.at_lowest);
  json.Member("highest", codes.at_highest);
  json.Member("unused", codes.unused);
  json.EndObject();
}

void WriteWorstChannels(JsonWriter& json,
                        const std::vector<ChannelError>& channels) {
  json.Key("worst_channels");
  json.BeginArray();
  for (const ChannelError& channel : channels) {
    json.BeginObject();
    json.Member("channel", channel.channel);
    json.Member("sqnr_db", channel.sqnr_db);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteFigures(JsonWriter& json, const ErrorFigures& error) {
  for (const Metric& metric : Metrics()) {
    json.Member(metric.name, error.*metric.figure);
  }
}

void WriteActivationFields(JsonWriter& json,
                           const ActivationComparison& activation) {
  json.Member("shape", activation.shape);
  WriteFigures(json, activation.error);
  for (const UserFigure& figure : activation.user_figures) {
    json.Member(figure.metric, figure.value);
  }
  json.Member("batch_sqnr_db", activation.batch_sqnr_db);
  if (!activation.trip_sqnr_db.empty()) {
    json.Member("trips", activation.trip_sqnr_db);
  }
  if (activation.elements.has_value()) {
    json.Member("elements", *activation.elements);
  }
  if (activation.ranges.has_value()) {
    WriteRanges(json, *activation.ranges);
  }
  if (activation.non_finite && !AreZero(*activation.non_finite)) {
    WriteNonFinite(json, *activation.non_finite);
  }
  if (activation.codes.has_value()) {
    WriteCodes(json, *activation.codes);
  }
  if (!activation.worst_channels.empty()) {
    WriteWorstChannels(json, activation.worst_channels);
  }
  if (!activation.channel_sqnr_db.empty()) {
    json.Member("channel_sqnr_db", activation.channel_sqnr_db);
  }
  if (activation.outliers.has_value()) {
    json.Member("abs_error_p999", activation.outliers->abs_error_p999);
    json.Member("outlier_share", activation.outliers->share);
  }
  if (activation.histograms.has_value()) {
    WriteHistograms(json, *activation.histograms);
  }
}

void WriteActivation(JsonWriter& json, absl::string_view key,
                     const ActivationComparison& activation) {
  json.Key(key);
  json.BeginObject();
  WriteActivationFields(json, activation);
  json.EndObject();
}

}  // namespace ns
