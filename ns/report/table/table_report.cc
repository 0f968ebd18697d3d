#include "ns/report/table/table_report.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/output_view.h"
#include "ns/findings/table_figures.h"
#include "ns/findings/verdict.h"
#include "ns/report/table/coverage_report.h"
#include "ns/report/table/table_summary.h"
#include "ns/report/table/text_table.h"
#include "ns/report/table/top_rows.h"
#include "ns/result/comparison_result.h"
#include "ns/result/figure_kinds.h"
#include "ns/result/printable.h"
#include "ns/result/time_figures.h"

namespace ns {
namespace {

// What marks the layer that the verdict names.
constexpr absl::string_view kCulprit = " ← culprit";
// Where it names none, these mark the lowest rows, one mark for every four
// rows: a short table needs none.
constexpr absl::string_view kMarks[] = {" ← worst", " ← 2nd", " ← 3rd"};
constexpr size_t kRowsPerMark = 4;

// The parts of a row that there is room for.
struct Layout {
  size_t bar_cells;
  bool has_float_ops;
  // Whether channels are shown, which only a terminal that is wide enough does.
  bool has_strips;
};

// The layouts from wide to narrow.
constexpr Layout kLayouts[] = {{kWideBar, true, true},
                               {kWideBar, true, false},
                               {kNarrowBar, true, false},
                               {0, true, false},
                               {0, false, false}};

std::string SubgraphText(const LayerSide& side) {
  std::string text = absl::StrJoin(side.subgraph, "+",
                                   [](std::string* out, const std::string& op) {
                                     absl::StrAppend(out, ShortOp(op));
                                   });
  return text.empty() ? "-" : Printable(text);
}

// Returns "net.py:12" for line 12 of /src/net.py, of the side that knows.
std::string SourceText(const LayerComparison& layer) {
  for (const LayerSide* side : {&layer.float_side, &layer.quantized_side}) {
    if (side->source.has_value()) {
      const std::string& file = side->source->file;
      return Printable(absl::StrCat(file.substr(file.rfind('/') + 1), ":",
                                    side->source->line));
    }
  }
  return "-";
}

// A row shows a layer with its first output, for which `output` is null, or
// below it another output.
struct Row {
  const LayerComparison* layer;
  const OutputComparison* output;
};

std::vector<Row> RowsOf(const Layers& layers) {
  std::vector<Row> rows;
  for (const LayerComparison* layer : layers) {
    for (const OutputView& output : OutputViews(*layer)) {
      rows.push_back({layer, output.other});
    }
  }
  return rows;
}

// Returns a column of one SQNR, with "(xN)" where it is the lowest of N
// weights.
Column FigureColumn(const std::vector<Row>& rows, Figure figure) {
  // "weight only" stands in both lines of the head.
  const std::pair<std::string, std::string> name =
      absl::StrSplit(FigureName(figure), absl::MaxSplits(' ', 1));
  const std::string second =
      absl::StrCat(name.second.empty() ? "SQNR" : name.second, " dB");
  Column column{{{name.first, kBold}, {second, kBold}}, /*align_right=*/true};
  for (const auto& [layer, output] : rows) {
    const std::optional<double> db = SqnrDb(*layer, output, figure);
    if (output != nullptr && !db) {
      column.cells.push_back({"", ""});
      continue;
    }
    const size_t count = figure == Figure::kWeight ? layer->weights.size() : 1;
    const std::string prefix = count > 1 ? absl::StrCat("(x", count, ") ") : "";
    column.cells.push_back({prefix + FormatDb(db), DbColor(db)});
  }
  return column;
}

// Returns a column of a user's metric, for the values that the bars show.
Column UserColumn(const std::vector<Row>& rows, const std::string& metric,
                  Figure figure) {
  Column column{{{metric, kBold}, {std::string(FigureName(figure)), kBold}},
                /*align_right=*/true};
  for (const auto& [layer, output] : rows) {
    const std::optional<double> value =
        UserFigureOf(*layer, output, figure, metric);
    column.cells.push_back({value ? FormatFigure(*value) : "-", ""});
  }
  return column;
}

// Returns columns of the time that layers take in both models, and of their
// share of the quantized model's.
std::vector<Column> TimeColumns(const std::vector<Row>& rows) {
  Column of_float{{{"float", kBold}, {"µs", kBold}}, /*align_right=*/true};
  Column of_quantized{{{"quantized", kBold}, {"µs", kBold}},
                      /*align_right=*/true};
  Column shares{{{"of its", kBold}, {"time", kBold}}, /*align_right=*/true};
  const auto text = [](double us) {
    return us <= 0     ? "-"
           : us < 99.5 ? absl::StrFormat("%.1f", us)
                       : absl::StrFormat("%.0f", us);
  };
  for (const auto& [layer, output] : rows) {
    if (output != nullptr || !layer->time) {
      for (Column* column : {&of_float, &of_quantized, &shares}) {
        column->cells.push_back({"", ""});
      }
      continue;
    }
    const LayerTime& time = *layer->time;
    of_float.cells.push_back({text(time.float_us), ""});
    of_quantized.cells.push_back({text(time.quantized_us), ""});
    shares.cells.push_back({absl::StrFormat("%.1f %%", 100 * time.share), ""});
  }
  return {of_float, of_quantized, shares};
}

// Returns a column of how the channels of `figure` fare; absent where they are
// not known in any layer.
std::optional<Column> StripColumn(const std::vector<Row>& rows, Figure figure) {
  if (figure == Figure::kWeight) {
    return std::nullopt;
  }
  const FigureKind& kind = KindOf(figure);
  Column column{{{std::string(kind.header), kBold}, {"channels", kBold}}};
  bool has_strips = false;
  for (const auto& [layer, output] : rows) {
    const ActivationComparison* const values =
        output == nullptr ? ValuesAt(*layer, kind.of_layer)
                          : ValuesAt(*output, kind.of_output);
    std::string strip = values != nullptr && values->channels
                            ? Strip(values->channels->strip_db)
                            : "";
    has_strips |= !strip.empty();
    column.cells.push_back({std::move(strip), ""});
  }
  return has_strips ? std::optional(std::move(column)) : std::nullopt;
}

std::vector<Column> TableColumns(const ComparisonResult& result,
                                 const Layers& layers, const Layout& layout,
                                 bool has_source) {
  // A wide bar is for terminals where names fit as they are.
  const bool wide = layout.bar_cells == kWideBar;
  const Shrink names_shrink = wide ? Shrink::kNever : Shrink::kLater;
  const Shrink ops_shrink = wide ? Shrink::kNever : Shrink::kFirst;
  const Figure bar_figure = BarFigure(result);
  const Layers ranked = Ranked(result, bar_figure);
  const std::optional<Verdict> verdict = VerdictOf(result);
  const LayerComparison* const culprit =
      verdict && NamesCulprit(result, *verdict)
          ? &result.layers[*verdict->layer]
          : nullptr;
  const size_t marks =
      result.inputs_are_finite && culprit == nullptr
          ? std::min(layers.size() / kRowsPerMark, std::size(kMarks))
          : 0;

  Column names{{{"", ""}, {"layer", kBold}}, false, names_shrink};
  Column float_ops{{{"float", kBold}, {"subgraph", kBold}}, false, ops_shrink};
  Column quantized_ops{
      {{"quantized", kBold}, {"op", kBold}}, false, ops_shrink};
  Column sources{{{"source", kBold}, {"line", kBold}}, false, ops_shrink};
  Column bars{{{absl::StrCat(FigureName(bar_figure), ", dB"), kBold},
               {std::string(BarScale(layout.bar_cells)), kBold}}};
  const std::vector<Row> rows = RowsOf(layers);
  for (const auto& [layer, output] : rows) {
    const std::optional<double> db = SqnrDb(*layer, output, bar_figure);
    if (output == nullptr) {
      names.cells.push_back({Printable(layer->name), DbColor(db)});
      float_ops.cells.push_back({SubgraphText(layer->float_side), ""});
      quantized_ops.cells.push_back(
          {Printable(ShortOp(layer->quantized_side.op)), ""});
      sources.cells.push_back({SourceText(*layer), ""});
    } else {
      names.cells.push_back(
          {absl::StrCat("  ", Printable(output->name)), DbColor(db)});
      float_ops.cells.push_back({"", ""});
      quantized_ops.cells.push_back({"", ""});
      sources.cells.push_back({"", ""});
    }
    std::string bar = Bar(db, layout.bar_cells);
    const size_t rank =
        std::find(ranked.begin(), ranked.end(), layer) - ranked.begin();
    if (layer == culprit && output == nullptr) {
      absl::StrAppend(&bar, kCulprit);
    } else if (rank < marks && rank < ranked.size() &&
               RankedSqnr(*layer, bar_figure).output == output) {
      absl::StrAppend(&bar, kMarks[rank]);
    }
    bars.cells.push_back({bar, DbColor(db)});
  }
  std::vector<Column> columns = {names};
  if (layout.has_float_ops) {
    columns.push_back(std::move(float_ops));
  }
  columns.push_back(std::move(quantized_ops));
  if (has_source) {
    columns.push_back(std::move(sources));
  }
  for (const Figure figure : ShownFigures(result)) {
    columns.push_back(FigureColumn(rows, figure));
  }
  for (const std::string& metric : result.user_metrics) {
    columns.push_back(UserColumn(rows, metric, bar_figure));
  }
  if (result.times) {
    for (Column& column : TimeColumns(rows)) {
      columns.push_back(std::move(column));
    }
  }
  if (layout.has_strips) {
    if (std::optional<Column> strips = StripColumn(rows, bar_figure)) {
      columns.push_back(*std::move(strips));
    }
  }
  if (layout.bar_cells > 0) {
    columns.push_back(std::move(bars));
  }
  return columns;
}

std::string MatchText(const LayerSide& side) {
  const absl::string_view inferred = side.fqn_inferred ? ", inferred" : "";
  const std::string ops = SubgraphText(side);
  return side.fqn.empty()
             ? ops
             : absl::StrCat(ops, " (", Printable(side.fqn), inferred, ")");
}

}  // namespace

std::string ToTable(const ComparisonResult& result,
                    const TableOptions& options) {
  Layers layers;
  for (const LayerComparison& layer : result.layers) {
    layers.push_back(&layer);
  }
  if (options.sort_by_error) {
    SortByFigure(BarFigure(result), layers);
  }
  if (options.sort_by_time) {
    absl::c_stable_sort(layers,
                        [](const LayerComparison* a, const LayerComparison* b) {
                          return a->time.value_or(LayerTime()).quantized_us >
                                 b->time.value_or(LayerTime()).quantized_us;
                        });
  }
  const std::string left_out = KeepTop(options.top, "layer", layers);
  std::string table;
  if (!layers.empty()) {
    const size_t limit = std::max(options.width, 0);
    std::vector<Column> columns;
    std::vector<size_t> widths;
    for (const Layout& layout : kLayouts) {
      if (layout.has_strips && limit == 0) {
        continue;
      }
      columns = TableColumns(result, layers, layout, options.source);
      widths = FitWidths(columns, limit);
      if (limit == 0 || Width(widths) <= limit) {
        break;
      }
    }
    absl::StrAppend(&table, Render(columns, widths, options.color), left_out,
                    "\n");
  }
  return absl::StrCat(table, FigureSummary(result),
                      options.coverage ? CoverageText(result) : "");
}

std::string ToMatchTable(const ComparisonResult& result,
                         const TableOptions& options) {
  Column names{{{"", ""}, {"layer", kBold}}, false, Shrink::kLater};
  Column floats{
      {{"float", kBold}, {"subgraph (module)", kBold}}, false, Shrink::kFirst};
  Column quantizeds{{{"quantized", kBold}, {"subgraph (module)", kBold}},
                    false,
                    Shrink::kFirst};
  for (const LayerComparison& layer : result.layers) {
    names.cells.push_back({Printable(layer.name), ""});
    floats.cells.push_back({MatchText(layer.float_side), ""});
    quantizeds.cells.push_back({MatchText(layer.quantized_side), ""});
  }
  const std::vector<Column> columns = {names, floats, quantizeds};
  const std::string table =
      result.layers.empty()
          ? ""
          : Render(columns, FitWidths(columns, std::max(options.width, 0)),
                   options.color) +
                "\n";
  return table + MatchSummary(result);
}

}  // namespace ns
