#include "ns/report/json_histograms.h"

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {
namespace {

void WriteBins(JsonWriter& json, const HistogramBins& bins) {
  json.Member("lowest", bins.lowest);
  json.Member("width", bins.width);
}

void WriteHistogram(JsonWriter& json, absl::string_view key,
                    const HistogramBins& bins,
                    const std::vector<int64_t>& counts) {
  json.Key(key);
  json.BeginObject();
  WriteBins(json, bins);
  json.Member("counts", counts);
  json.EndObject();
}

void WriteAxis(JsonWriter& json, absl::string_view key,
               const HistogramBins& bins) {
  json.Key(key);
  json.BeginObject();
  WriteBins(json, bins);
  json.EndObject();
}

}  // namespace

void WriteHistograms(JsonWriter& json, const ValueHistograms& histograms) {
  json.Key("histograms");
  json.BeginObject();
  json.Member("samples", histograms.samples);
  WriteHistogram(json, "float", histograms.value_bins, histograms.float_counts);
  WriteHistogram(json, "quantized", histograms.value_bins,
                 histograms.quantized_counts);
  WriteHistogram(json, "error", histograms.error_bins, histograms.error_counts);
  json.Key("error_by_value");
  json.BeginObject();
  WriteAxis(json, "value", histograms.row_bins);
  WriteAxis(json, "error", histograms.column_bins);
  json.Key("counts");
  json.BeginArray();
  for (const std::vector<int64_t>& row : histograms.errors_by_value) {
    json.Numbers(row);
  }
  json.EndArray();
  json.EndObject();
  json.EndObject();
}

}  // namespace ns
