#include "ns/csv_report.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ns/comparison_result.h"
#include "ns/error_breakdown.h"
#include "ns/json_writer.h"

namespace ns {
namespace {

constexpr absl::string_view kHeader =
    "name,kind,parameter,float_fqn,float_op,quantized_fqn,quantized_op,shape,"
    "sqnr_db,normalized_l2,cosine,max_abs_error,batches,elements,"
    "float_min,float_max,quantized_min,quantized_max,"
    "float_nan,float_inf,quantized_nan,quantized_inf,"
    "codes_lowest,codes_highest,codes_unused,worst_channels,dominated_by\n";

std::string Quoted(absl::string_view field) {
  if (field.find_first_of(",\"\r\n") == absl::string_view::npos) {
    return std::string(field);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

std::string ChannelsText(const std::vector<ChannelError>& channels) {
  return absl::StrJoin(channels, " ",
                       [](std::string* out, const ChannelError& channel) {
                         absl::StrAppend(out, channel.channel, ":",
                                         FormatDouble(channel.sqnr_db));
                       });
}

// The fields "batches" to "worst_channels".
constexpr size_t kOutputFields = 14;

std::vector<std::string> OutputFields(const ActivationComparison& figures) {
  std::vector<std::string> fields = {
      absl::StrCat(figures.batch_sqnr_db.size()),
      figures.elements ? absl::StrCat(*figures.elements) : ""};
  // Absent ones leave their fields empty.
  std::vector<std::string> ranges(4), non_finite(4), codes(3);
  if (figures.ranges.has_value()) {
    ranges = {FormatDouble(figures.ranges->float_min),
              FormatDouble(figures.ranges->float_max),
              FormatDouble(figures.ranges->quantized_min),
              FormatDouble(figures.ranges->quantized_max)};
  }
  if (figures.non_finite.has_value()) {
    non_finite = {absl::StrCat(figures.non_finite->float_nan),
                  absl::StrCat(figures.non_finite->float_inf),
                  absl::StrCat(figures.non_finite->quantized_nan),
                  absl::StrCat(figures.non_finite->quantized_inf)};
  }
  if (figures.codes.has_value()) {
    codes = {absl::StrCat(figures.codes->at_lowest),
             absl::StrCat(figures.codes->at_highest),
             absl::StrCat(figures.codes->unused)};
  }
  for (const auto& group : {ranges, non_finite, codes}) {
    fields.insert(fields.end(), group.begin(), group.end());
  }
  fields.push_back(ChannelsText(figures.worst_channels));
  return fields;
}

// One row but for the columns that it shares with the others of its layer.
struct Row {
  absl::string_view kind;
  absl::string_view parameter;
  std::vector<int64_t> shape = {};
  ErrorFigures error;
  std::vector<std::string> output_fields =
      std::vector<std::string>(kOutputFields);
  absl::string_view dominated_by = "";
};

void AppendRow(const LayerComparison& layer, const Row& row, std::string& csv) {
  const std::vector<std::string> fields = {
      Quoted(layer.name),
      std::string(row.kind),
      Quoted(row.parameter),
      Quoted(layer.float_side.fqn),
      Quoted(layer.float_side.op),
      Quoted(layer.quantized_side.fqn),
      Quoted(layer.quantized_side.op),
      absl::StrJoin(row.shape, "x"),
      FormatDouble(row.error.sqnr_db),
      FormatDouble(row.error.normalized_l2),
      FormatDouble(row.error.cosine),
      FormatDouble(row.error.max_abs_error),
      absl::StrJoin(row.output_fields, ","),
      std::string(row.dominated_by),
  };
  absl::StrAppend(&csv, absl::StrJoin(fields, ","), "\n");
}

Row OutputRow(absl::string_view kind, const ActivationComparison& figures) {
  return {kind, "", figures.shape, figures.error, OutputFields(figures), ""};
}

void AppendLayer(const LayerComparison& layer, std::string& csv) {
  for (const WeightComparison& weight : layer.weights) {
    AppendRow(layer, {"weight", weight.name, weight.shape, weight.error}, csv);
  }
  if (layer.activation.has_value()) {
    Row row = OutputRow("activation", *layer.activation);
    const std::optional<ErrorPart> part = DominantPart(layer);
    row.dominated_by = part ? ErrorPartName(*part) : "";
    AppendRow(layer, row, csv);
  }
  if (layer.shadow.has_value()) {
    AppendRow(layer, OutputRow("shadow", *layer.shadow), csv);
  }
  if (layer.inherited.has_value()) {
    AppendRow(layer, {"inherited", "", {}, *layer.inherited}, csv);
  }
  if (layer.kernel.has_value()) {
    AppendRow(layer, OutputRow("kernel", *layer.kernel), csv);
  }
}

void AppendStub(const StubComparison& stub, std::string& csv) {
  LayerComparison layer;
  layer.name = layer.float_side.fqn = layer.quantized_side.fqn = stub.name;
  layer.float_side.op = stub.float_type;
  layer.quantized_side.op = stub.quantized_type;
  AppendRow(layer, OutputRow("stub", stub.figures), csv);
}

}  // namespace

std::string ToCsv(const ComparisonResult& result) {
  std::string csv(kHeader);
  for (const LayerComparison& layer : result.layers) {
    AppendLayer(layer, csv);
  }
  if (result.stubs.has_value()) {
    for (const StubComparison& stub : *result.stubs) {
      AppendStub(stub, csv);
    }
  }
  return csv;
}

}  // namespace ns
