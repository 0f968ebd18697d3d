#include "ns/report/csv_report.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/json/json_text.h"
#include "ns/findings/error_breakdown.h"
#include "ns/result/comparison_result.h"
#include "ns/result/figure_kinds.h"
#include "ns/result/metrics.h"
#include "ns/result/printable.h"
#include "ns/result/time_figures.h"

namespace ns {
namespace {

// This many metrics come before the other columns of a row. Later ones come
// after them, so that the columns of earlier versions keep their places.
constexpr size_t kMetricsInTheMiddle = 4;

// One side of a row: of a module, its path and type.
struct RowSide {
  absl::string_view fqn;
  absl::string_view op;
};

// What a row is about, in terms of the result. Pointers are null where the row
// has nothing of the kind.
struct Row {
  absl::string_view name;
  absl::string_view kind;
  absl::string_view parameter;
  RowSide float_side;
  RowSide quantized_side;
  absl::Span<const int64_t> shape;
  const ErrorFigures* error = nullptr;
  const ActivationComparison* figures = nullptr;
  absl::string_view dominated_by;
  std::optional<double> output_share;
  const PairSaturation* saturation = nullptr;
  const LayerTime* time = nullptr;
  // The SQNR of the row without saturation, and what saturation costs, in dB.
  std::optional<double> exact_sqnr_db;
  std::optional<double> saturation_cost_db;
};

struct Column {
  std::string name;
  // Returns the field of a row; empty where there is nothing to tell.
  std::function<std::string(const Row&)> field;
};

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

std::string FieldOf(double value) { return FormatDouble(value); }
std::string FieldOf(int64_t value) { return absl::StrCat(value); }
template <typename T>
std::string FieldOf(const std::optional<T>& value) {
  return value ? FieldOf(*value) : "";
}

std::string ChannelsText(const std::vector<ChannelError>& channels) {
  return absl::StrJoin(channels, " ",
                       [](std::string* out, const ChannelError& channel) {
                         absl::StrAppend(out, channel.channel, ":",
                                         FormatDouble(channel.sqnr_db));
                       });
}

// A column of a metric's figure.
Column MetricColumn(const Metric& metric) {
  return {std::string(metric.name), [figure = metric.figure](const Row& row) {
            return row.error == nullptr ? "" : FormatDouble(row.error->*figure);
          }};
}

// A column of what `field` makes of the compared values; empty for other rows.
template <typename Field>
Column ValuesColumn(const std::string& name, const Field& field) {
  return {name, [field](const Row& row) {
            return row.figures == nullptr ? "" : field(*row.figures);
          }};
}

// A column of a member of an optional group of figures.
template <typename Group, typename T>
Column GroupColumn(const std::string& name,
                   std::optional<Group> ActivationComparison::*group,
                   T Group::*member) {
  return ValuesColumn(name, [=](const ActivationComparison& figures) {
    return figures.*group ? FieldOf((*(figures.*group)).*member) : "";
  });
}

template <typename Field>
Column SaturationColumn(const std::string& name, const Field& field) {
  return {name, [field](const Row& row) {
            return row.saturation == nullptr ? "" : field(*row.saturation);
          }};
}

std::vector<Column> PlaceColumns() {
  return {
      {"name", [](const Row& row) { return Text(row.name); }},
      {"kind", [](const Row& row) { return std::string(row.kind); }},
      {"parameter", [](const Row& row) { return Text(row.parameter); }},
      {"float_fqn", [](const Row& row) { return Text(row.float_side.fqn); }},
      {"float_op", [](const Row& row) { return Text(row.float_side.op); }},
      {"quantized_fqn",
       [](const Row& row) { return Text(row.quantized_side.fqn); }},
      {"quantized_op",
       [](const Row& row) { return Text(row.quantized_side.op); }},
      {"shape", [](const Row& row) { return absl::StrJoin(row.shape, "x"); }},
  };
}

std::vector<Column> ValueColumns() {
  using Values = ActivationComparison;
  return {
      ValuesColumn("batches",
                   [](const Values& figures) {
                     return absl::StrCat(figures.batch_sqnr_db.size());
                   }),
      ValuesColumn(
          "elements",
          [](const Values& figures) { return FieldOf(figures.elements); }),
      GroupColumn("float_min", &Values::ranges, &ValueRanges::float_min),
      GroupColumn("float_max", &Values::ranges, &ValueRanges::float_max),
      GroupColumn("quantized_min", &Values::ranges,
                  &ValueRanges::quantized_min),
      GroupColumn("quantized_max", &Values::ranges,
                  &ValueRanges::quantized_max),
      GroupColumn("float_nan", &Values::non_finite,
                  &NonFiniteCounts::float_nan),
      GroupColumn("float_inf", &Values::non_finite,
                  &NonFiniteCounts::float_inf),
      GroupColumn("quantized_nan", &Values::non_finite,
                  &NonFiniteCounts::quantized_nan),
      GroupColumn("quantized_inf", &Values::non_finite,
                  &NonFiniteCounts::quantized_inf),
      GroupColumn("codes_lowest", &Values::codes, &CodeUse::at_lowest),
      GroupColumn("codes_highest", &Values::codes, &CodeUse::at_highest),
      GroupColumn("codes_unused", &Values::codes, &CodeUse::unused),
      ValuesColumn("worst_channels",
                   [](const Values& figures) {
                     return ChannelsText(figures.worst_channels);
                   }),
      {"dominated_by",
       [](const Row& row) { return std::string(row.dominated_by); }},
  };
}

std::vector<Column> OutlierColumns() {
  return {
      GroupColumn("abs_error_p999", &ActivationComparison::outliers,
                  &OutlierFigures::abs_error_p999),
      GroupColumn("outlier_share", &ActivationComparison::outliers,
                  &OutlierFigures::share),
  };
}

std::vector<Column> ChannelColumns() {
  using Values = ActivationComparison;
  return {
      GroupColumn("channels", &Values::channels, &ChannelSummary::channels),
      GroupColumn("median_channel_sqnr_db", &Values::channels,
                  &ChannelSummary::median_sqnr_db),
      GroupColumn("channels_below_3db", &Values::channels,
                  &ChannelSummary::below_3db),
      {"output_share",
       [](const Row& row) { return FieldOf(row.output_share); }},
  };
}

// A column of the metric of the user with this index.
Column UserColumn(const std::string& name, size_t index) {
  return ValuesColumn(name, [index](const ActivationComparison& figures) {
    return index < figures.user_figures.size()
               ? FormatDouble(figures.user_figures[index].value)
               : "";
  });
}

std::vector<Column> SaturationColumns() {
  using Saturation = PairSaturation;
  return {
      SaturationColumn("emulated",
                       [](const Saturation& s) { return s.numerics; }),
      SaturationColumn("saturation_possible",
                       [](const Saturation& s) {
                         return std::string(s.IsPossible() ? "true" : "false");
                       }),
      SaturationColumn(
          "saturating_channels",
          [](const Saturation& s) { return FieldOf(s.saturating_channels); }),
      SaturationColumn(
          "worst_pair_sum",
          [](const Saturation& s) { return FieldOf(s.worst_pair_sum); }),
      SaturationColumn("outputs",
                       [](const Saturation& s) { return FieldOf(s.outputs); }),
      SaturationColumn(
          "saturated",
          [](const Saturation& s) { return FieldOf(s.saturated); }),
      SaturationColumn("saturated_share",
                       [](const Saturation& s) { return FieldOf(s.Share()); }),
      {"exact_sqnr_db",
       [](const Row& row) { return FieldOf(row.exact_sqnr_db); }},
      {"saturation_cost_db",
       [](const Row& row) { return FieldOf(row.saturation_cost_db); }},
  };
}

template <typename Field>
Column TimeColumn(const std::string& name, const Field& field) {
  return {name, [field](const Row& row) {
            return row.time == nullptr ? "" : FormatDouble(field(*row.time));
          }};
}

std::vector<Column> TimeColumns() {
  return {
      TimeColumn("float_us", [](const LayerTime& t) { return t.float_us; }),
      TimeColumn("quantized_us",
                 [](const LayerTime& t) { return t.quantized_us; }),
      TimeColumn("time_share", [](const LayerTime& t) { return t.share; }),
  };
}

bool HasOutliers(const ComparisonResult& result) {
  bool has = false;
  for (const LayerComparison& layer : result.layers) {
    ForEachValues(layer,
                  [&](const FigureKind&, const ActivationComparison& figures) {
                    has = has || figures.outliers.has_value();
                  });
  }
  return has;
}

struct ShownColumns {
  bool has_outliers = false;
  std::vector<std::string> user_metrics = {};
  bool has_saturation = false;
  bool has_times = false;
};

std::vector<Column> Columns(const ShownColumns& shown) {
  std::vector<Column> columns = PlaceColumns();
  const auto add = [&](const std::vector<Column>& more) {
    columns.insert(columns.end(), more.begin(), more.end());
  };
  const auto add_metrics = [&](absl::Span<const Metric> metrics) {
    for (const Metric& metric : metrics) {
      columns.push_back(MetricColumn(metric));
    }
  };
  add_metrics(Metrics().first(kMetricsInTheMiddle));
  add(ValueColumns());
  add_metrics(Metrics().subspan(kMetricsInTheMiddle));
  if (shown.has_outliers) {
    add(OutlierColumns());
  }
  for (size_t i = 0; i < shown.user_metrics.size(); ++i) {
    columns.push_back(UserColumn(shown.user_metrics[i], i));
  }
  add(ChannelColumns());
  if (shown.has_saturation) {
    add(SaturationColumns());
  }
  if (shown.has_times) {
    add(TimeColumns());
  }
  return columns;
}

// A row of `layer` without figures.
Row RowOf(const LayerComparison& layer, absl::string_view kind) {
  Row row;
  row.name = layer.name;
  row.kind = kind;
  row.float_side = {layer.float_side.fqn, layer.float_side.op};
  row.quantized_side = {layer.quantized_side.fqn, layer.quantized_side.op};
  row.saturation = layer.saturation ? &*layer.saturation : nullptr;
  return row;
}

void SetFigures(const ActivationComparison& figures, Row& row) {
  row.shape = figures.shape;
  row.error = &figures.error;
  row.figures = &figures;
}

// Returns the row of a kind of figure of `owner`, which is `layer` or one of
// its outputs; nothing where it has none.
template <typename Owner>
std::optional<Row> FigureRow(const LayerComparison& layer, const Owner& owner,
                             const FigureKind& kind,
                             const FigurePlace<Owner>& place) {
  const ErrorFigures* const error = ErrorAt(owner, place);
  if (error == nullptr) {
    return std::nullopt;
  }
  Row row = RowOf(layer, kind.key);
  row.error = error;
  if (const ActivationComparison* values = ValuesAt(owner, place)) {
    SetFigures(*values, row);
  }
  return row;
}

// Adds what a layer alone has, and its other outputs have not.
void AddOfLayer(const LayerComparison& layer, Figure figure, Row& row) {
  if (figure == Figure::kActivation) {
    const std::optional<ErrorPart> part = DominantPart(layer);
    row.dominated_by = part ? ErrorPartName(*part) : "";
    row.output_share = layer.output_share;
  }
  if (layer.saturation && figure == Figure::kActivation) {
    row.exact_sqnr_db = layer.saturation->sqnr_db;
    row.saturation_cost_db = layer.saturation->cost_db;
  }
  if (layer.saturation && figure == Figure::kShadow) {
    row.exact_sqnr_db = layer.saturation->shadow_sqnr_db;
    row.saturation_cost_db = layer.saturation->shadow_cost_db;
  }
}

void AddLayer(const LayerComparison& layer, std::vector<Row>& rows) {
  for (const WeightComparison& weight : layer.weights) {
    Row& row = rows.emplace_back(RowOf(layer, "weight"));
    row.parameter = weight.name;
    row.shape = weight.shape;
    row.error = &weight.error;
  }
  for (const FigureKind& kind : FigureKinds()) {
    if (std::optional<Row> row = FigureRow(layer, layer, kind, kind.of_layer)) {
      AddOfLayer(layer, kind.figure, *row);
      rows.push_back(*std::move(row));
    }
  }
  if (layer.time) {
    rows.emplace_back(RowOf(layer, "time")).time = &*layer.time;
  }
  for (const OutputComparison& output : layer.outputs) {
    for (const FigureKind& kind : FigureKinds()) {
      if (std::optional<Row> row =
              FigureRow(layer, output, kind, kind.of_output)) {
        row->parameter = output.name;
        rows.push_back(*std::move(row));
      }
    }
  }
}

void AddStub(const StubComparison& stub, std::vector<Row>& rows) {
  const auto add = [&](absl::string_view parameter,
                       const ActivationComparison& figures) {
    Row& row = rows.emplace_back();
    row.name = stub.name;
    row.kind = "stub";
    row.parameter = parameter;
    row.float_side = {stub.name, stub.float_type};
    row.quantized_side = {stub.name, stub.quantized_type};
    SetFigures(figures, row);
  };
  add("", stub.figures);
  for (const StubOutput& output : stub.outputs) {
    add(output.name, output.figures);
  }
}

void AddModuleOutput(const ModuleOutputComparison& output,
                     std::vector<Row>& rows) {
  Row& row = rows.emplace_back();
  row.name = output.name;
  row.kind = "output";
  // An output of the whole model belongs to no module.
  const absl::string_view module =
      output.quantized_type.empty() ? "" : absl::string_view(output.name);
  row.float_side = {module, output.float_type};
  row.quantized_side = {module, output.quantized_type};
  SetFigures(output.figures, row);
}

std::vector<Row> RowsOf(const ComparisonResult& result) {
  std::vector<Row> rows;
  for (const LayerComparison& layer : result.layers) {
    AddLayer(layer, rows);
  }
  if (result.stubs.has_value()) {
    for (const StubComparison& stub : *result.stubs) {
      AddStub(stub, rows);
    }
  }
  if (result.outputs.has_value()) {
    for (const ModuleOutputComparison& output : *result.outputs) {
      AddModuleOutput(output, rows);
    }
  }
  return rows;
}

}  // namespace

std::vector<std::string> CsvColumns() {
  std::vector<std::string> names;
  for (const Column& column : Columns({true, {}, true, true})) {
    names.push_back(column.name);
  }
  return names;
}

std::string ToCsv(const ComparisonResult& result) {
  const std::vector<Column> columns =
      Columns({HasOutliers(result), result.user_metrics,
               !result.emulated.empty(), result.times.has_value()});
  std::string csv = absl::StrJoin(
      columns, ",",
      [](std::string* out, const Column& column) { out->append(column.name); });
  csv += '\n';
  for (const Row& row : RowsOf(result)) {
    absl::StrAppend(&csv,
                    absl::StrJoin(columns, ",",
                                  [&](std::string* out, const Column& column) {
                                    out->append(column.field(row));
                                  }),
                    "\n");
  }
  return csv;
}

}  // namespace ns
