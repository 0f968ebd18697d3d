#include "ns/report/csv_report.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ns/report/error_breakdown.h"
#include "ns/report/json_writer.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/metrics.h"
#include "ns/suite/printable.h"

namespace ns {
namespace {

// This many metrics stand in the middle. Later ones come behind all other
// columns of a layer, so that the columns of earlier versions keep their
// places.
constexpr size_t kMetricsInTheMiddle = 4;

constexpr absl::string_view kHeader =
    "name,kind,parameter,float_fqn,float_op,quantized_fqn,quantized_op,shape,"
    "sqnr_db,normalized_l2,cosine,max_abs_error,batches,elements,"
    "float_min,float_max,quantized_min,quantized_max,"
    "float_nan,float_inf,quantized_nan,quantized_inf,"
    "codes_lowest,codes_highest,codes_unused,worst_channels,dominated_by";
// These columns are there where outliers were asked for.
constexpr absl::string_view kOutliersHeader = ",abs_error_p999,outlier_share";
// These columns are there where another processor was emulated.
constexpr absl::string_view kSaturationHeader =
    ",emulated,saturation_possible,saturating_channels,worst_pair_sum,"
    "outputs,saturated,saturated_share,exact_sqnr_db,saturation_cost_db";
constexpr size_t kSaturationFields = 9;

// Returns a field of text, such as a name that a model gave. Numbers do not
// come here: "-3.2" must stay as it is.
std::string Text(absl::string_view text) {
  constexpr absl::string_view kStartsFormula = "=+-@";
  std::string field = Printable(text);
  if (!field.empty() && absl::StrContains(kStartsFormula, field[0])) {
    field.insert(field.begin(), '\'');
  }
  if (!absl::StrContains(field, ',') && !absl::StrContains(field, '"')) {
    return field;
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

// The number of the fields "batches" to "worst_channels".
constexpr size_t kOutputFields = 14;

std::vector<std::string> OutputFields(const ActivationComparison& figures) {
  std::vector<std::string> fields = {
      absl::StrCat(figures.batch_sqnr_db.size()),
      figures.elements ? absl::StrCat(*figures.elements) : ""};
  // Absent figures leave their fields empty.
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

std::string Number(const std::optional<double>& value) {
  return value ? FormatDouble(*value) : "";
}

// The SQNR of a row without saturation, and what saturation costs, in dB.
struct SaturationCost {
  std::optional<double> sqnr_db = std::nullopt;
  std::optional<double> cost_db = std::nullopt;
};

std::vector<std::string> SaturationFields(
    const std::optional<PairSaturation>& saturation,
    const SaturationCost& cost) {
  if (!saturation) {
    return std::vector<std::string>(kSaturationFields);
  }
  const auto count = [](const std::optional<int64_t>& value) {
    return value ? absl::StrCat(*value) : "";
  };
  return {saturation->numerics,
          saturation->IsPossible() ? "true" : "false",
          absl::StrCat(saturation->saturating_channels),
          absl::StrCat(saturation->worst_pair_sum),
          count(saturation->outputs),
          count(saturation->saturated),
          Number(saturation->Share()),
          Number(cost.sqnr_db),
          Number(cost.cost_db)};
}

// A row without the columns that all rows of a layer share.
struct Row {
  absl::string_view kind;
  absl::string_view parameter;
  std::vector<int64_t> shape = {};
  ErrorFigures error;
  std::vector<std::string> output_fields =
      std::vector<std::string>(kOutputFields);
  absl::string_view dominated_by = "";
  std::optional<OutlierFigures> outliers = {};
  std::vector<UserFigure> user_figures = {};
  SaturationCost saturation = {};
};

bool HasOutliers(const ComparisonResult& result) {
  return absl::c_any_of(result.layers, [](const LayerComparison& layer) {
    return absl::c_any_of(
        std::array{&layer.activation, &layer.shadow, &layer.kernel},
        [](const auto* figures) {
          return figures->has_value() && (*figures)->outliers.has_value();
        });
  });
}

class Rows {
 public:
  explicit Rows(const ComparisonResult& result)
      : has_outliers_(HasOutliers(result)),
        user_metrics_(result.user_metrics),
        emulated_(!result.emulated.empty()) {
    csv_ = std::string(kHeader);
    for (const Metric& metric : Metrics().subspan(kMetricsInTheMiddle)) {
      absl::StrAppend(&csv_, ",", metric.name);
    }
    absl::StrAppend(&csv_, has_outliers_ ? kOutliersHeader : "");
    for (const std::string& metric : user_metrics_) {
      absl::StrAppend(&csv_, ",", metric);
    }
    absl::StrAppend(&csv_, emulated_ ? kSaturationHeader : "", "\n");
  }

  void AppendRow(const LayerComparison& layer, const Row& row);
  void AppendLayer(const LayerComparison& layer);
  void AppendOutput(const LayerComparison& layer,
                    const OutputComparison& output);
  void AppendStub(const StubComparison& stub);
  void AppendModuleOutput(const ModuleOutputComparison& output);

  std::string Take() { return std::move(csv_); }

 private:
  const bool has_outliers_;
  const std::vector<std::string>& user_metrics_;
  const bool emulated_;
  std::string csv_;
};

void Rows::AppendRow(const LayerComparison& layer, const Row& row) {
  std::vector<std::string> fields = {
      Text(layer.name),
      std::string(row.kind),
      Text(row.parameter),
      Text(layer.float_side.fqn),
      Text(layer.float_side.op),
      Text(layer.quantized_side.fqn),
      Text(layer.quantized_side.op),
      absl::StrJoin(row.shape, "x"),
  };
  const absl::Span<const Metric> metrics = Metrics();
  const auto append = [&](const Metric& metric) {
    fields.push_back(FormatDouble(row.error.*metric.figure));
  };
  absl::c_for_each(metrics.first(kMetricsInTheMiddle), append);
  fields.push_back(absl::StrJoin(row.output_fields, ","));
  fields.push_back(std::string(row.dominated_by));
  absl::c_for_each(metrics.subspan(kMetricsInTheMiddle), append);
  if (has_outliers_) {
    const auto& outliers = row.outliers;
    fields.push_back(outliers ? FormatDouble(outliers->abs_error_p999) : "");
    fields.push_back(outliers ? FormatDouble(outliers->share) : "");
  }
  for (size_t i = 0; i < user_metrics_.size(); ++i) {
    fields.push_back(i < row.user_figures.size()
                         ? FormatDouble(row.user_figures[i].value)
                         : "");
  }
  if (emulated_) {
    for (std::string& field :
         SaturationFields(layer.saturation, row.saturation)) {
      fields.push_back(std::move(field));
    }
  }
  absl::StrAppend(&csv_, absl::StrJoin(fields, ","), "\n");
}

Row OutputRow(absl::string_view kind, const ActivationComparison& figures) {
  return {kind,
          "",
          figures.shape,
          figures.error,
          OutputFields(figures),
          "",
          figures.outliers,
          figures.user_figures};
}

void Rows::AppendLayer(const LayerComparison& layer) {
  for (const WeightComparison& weight : layer.weights) {
    AppendRow(layer, {"weight", weight.name, weight.shape, weight.error});
  }
  if (layer.activation.has_value()) {
    Row row = OutputRow("activation", *layer.activation);
    const std::optional<ErrorPart> part = DominantPart(layer);
    row.dominated_by = part ? ErrorPartName(*part) : "";
    if (layer.saturation) {
      row.saturation = {layer.saturation->sqnr_db, layer.saturation->cost_db};
    }
    AppendRow(layer, row);
  }
  if (layer.shadow.has_value()) {
    Row row = OutputRow("shadow", *layer.shadow);
    if (layer.saturation) {
      row.saturation = {layer.saturation->shadow_sqnr_db,
                        layer.saturation->shadow_cost_db};
    }
    AppendRow(layer, row);
  }
  for (const auto& [kind, error] :
       {std::pair("weight_only", &layer.weight_only),
        std::pair("activation_only", &layer.activation_only),
        std::pair("inherited", &layer.inherited)}) {
    if (error->has_value()) {
      AppendRow(layer, {kind, "", {}, **error});
    }
  }
  if (layer.kernel.has_value()) {
    AppendRow(layer, OutputRow("kernel", *layer.kernel));
  }
  for (const OutputComparison& output : layer.outputs) {
    AppendOutput(layer, output);
  }
}

void Rows::AppendOutput(const LayerComparison& layer,
                        const OutputComparison& output) {
  const auto append = [&](absl::string_view kind,
                          const std::optional<ActivationComparison>& figures) {
    if (figures.has_value()) {
      Row row = OutputRow(kind, *figures);
      row.parameter = output.name;
      AppendRow(layer, row);
    }
  };
  append("activation", output.activation);
  append("shadow", output.shadow);
  if (output.inherited.has_value()) {
    AppendRow(layer, {"inherited", output.name, {}, *output.inherited});
  }
}

void Rows::AppendStub(const StubComparison& stub) {
  LayerComparison layer;
  layer.name = layer.float_side.fqn = layer.quantized_side.fqn = stub.name;
  layer.float_side.op = stub.float_type;
  layer.quantized_side.op = stub.quantized_type;
  AppendRow(layer, OutputRow("stub", stub.figures));
  for (const StubOutput& output : stub.outputs) {
    Row row = OutputRow("stub", output.figures);
    row.parameter = output.name;
    AppendRow(layer, row);
  }
}

void Rows::AppendModuleOutput(const ModuleOutputComparison& output) {
  LayerComparison layer;
  layer.name = output.name;
  // An output of the whole model belongs to no module.
  if (!output.quantized_type.empty()) {
    layer.float_side.fqn = layer.quantized_side.fqn = output.name;
  }
  layer.float_side.op = output.float_type;
  layer.quantized_side.op = output.quantized_type;
  AppendRow(layer, OutputRow("output", output.figures));
}

}  // namespace

std::string ToCsv(const ComparisonResult& result) {
  Rows rows(result);
  for (const LayerComparison& layer : result.layers) {
    rows.AppendLayer(layer);
  }
  if (result.stubs.has_value()) {
    for (const StubComparison& stub : *result.stubs) {
      rows.AppendStub(stub);
    }
  }
  if (result.outputs.has_value()) {
    for (const ModuleOutputComparison& output : *result.outputs) {
      rows.AppendModuleOutput(output);
    }
  }
  return rows.Take();
}

}  // namespace ns
