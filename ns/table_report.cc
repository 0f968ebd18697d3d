#include "ns/table_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ns/comparison_result.h"
#include "ns/figure_text.h"
#include "ns/text_table.h"

namespace ns {
namespace {

// Marks of the lowest rows, one for every four rows: a short table needs none.
constexpr absl::string_view kMarks[] = {" ← worst", " ← 2nd", " ← 3rd"};
constexpr size_t kRowsPerMark = 4;
constexpr size_t kListed = 20;

// What a table shows of a layer; names in kFigureNames.
enum Figure { kWeight, kActivation, kShadow };
constexpr absl::string_view kFigureNames[] = {"weight", "activation", "shadow"};

std::optional<double> Sqnr(const LayerComparison& layer, Figure figure) {
  if (figure != kWeight) {
    const auto& activation =
        figure == kActivation ? layer.activation : layer.shadow;
    return activation ? std::make_optional(activation->error.sqnr_db)
                      : std::nullopt;
  }
  std::optional<double> lowest;
  for (const WeightComparison& weight : layer.weights) {
    if (!lowest.has_value() || IsLowerDb(weight.error.sqnr_db, *lowest)) {
      lowest = weight.error.sqnr_db;
    }
  }
  return lowest;
}

absl::string_view ShortOp(absl::string_view op) {
  const size_t colon = op.rfind(':');
  return colon == absl::string_view::npos ? op : op.substr(colon + 1);
}

std::string SubgraphText(const LayerSide& side) {
  std::string text = absl::StrJoin(side.subgraph, "+",
                                   [](std::string* out, const std::string& op) {
                                     absl::StrAppend(out, ShortOp(op));
                                   });
  return text.empty() ? "-" : Printable(text);
}

using Layers = std::vector<const LayerComparison*>;

// The figures asked for, as far as the result tells.
std::vector<Figure> ShownFigures(const ComparisonResult& result) {
  std::vector<Figure> figures;
  if ((!result.has_activations && !result.has_shadows) ||
      std::any_of(result.layers.begin(), result.layers.end(),
                  [](const auto& layer) { return !layer.weights.empty(); })) {
    figures.push_back(kWeight);
  }
  if (result.has_activations) {
    figures.push_back(kActivation);
  }
  if (result.has_shadows) {
    figures.push_back(kShadow);
  }
  return figures;
}

Figure BarFigure(const ComparisonResult& result) {
  return result.has_activations ? kActivation
         : result.has_shadows   ? kShadow
                                : kWeight;
}

// Lowest first: nan before all, layers without the figure last.
void SortByFigure(Figure figure, Layers& layers) {
  std::stable_sort(layers.begin(), layers.end(), [figure](auto* a, auto* b) {
    const std::optional<double> left = Sqnr(*a, figure);
    const std::optional<double> right = Sqnr(*b, figure);
    return left && (!right || IsLowerDb(*left, *right));
  });
}

// The layers that have a number below infinity, lowest first.
Layers Ranked(const ComparisonResult& result, Figure figure) {
  Layers layers;
  for (const LayerComparison& layer : result.layers) {
    const std::optional<double> db = Sqnr(layer, figure);
    if (db.has_value() && *db < INFINITY) {  // False for nan.
      layers.push_back(&layer);
    }
  }
  SortByFigure(figure, layers);
  return layers;
}

// SQNR of one kind, behind "(xN)" where it is the lowest of several weights.
Column FigureColumn(const Layers& layers, Figure figure) {
  Column column{
      {{std::string(kFigureNames[figure]), kBold}, {"SQNR dB", kBold}},
      /*align_right=*/true};
  for (const LayerComparison* layer : layers) {
    const std::optional<double> db = Sqnr(*layer, figure);
    const size_t count = figure == kWeight ? layer->weights.size() : 1;
    const std::string prefix = count > 1 ? absl::StrCat("(x", count, ") ") : "";
    column.cells.push_back({prefix + FormatDb(db), DbColor(db)});
  }
  return column;
}

// "25 layers matched (aligned), 8 batches"
std::string CountLine(const ComparisonResult& result) {
  const size_t layers = result.layers.size();
  std::string line =
      absl::StrCat(layers, layers == 1 ? " layer" : " layers", " matched");
  if (!result.matching.empty()) {
    absl::StrAppend(&line, " (", result.matching, ")");
  }
  if (result.batches > 0) {
    absl::StrAppend(&line, ", ", result.batches,
                    result.batches == 1 ? " batch" : " batches");
  }
  return line + "\n";
}

struct Reasoned {
  std::string what;
  std::string reason;
};

// "3 unmatched:", then the items below their reasons. Items with one reason
// come together; beyond kListed only their number is told.
std::string ReasonList(const std::vector<Reasoned>& items,
                       absl::string_view kind) {
  if (items.empty()) {
    return "";
  }
  std::vector<absl::string_view> reasons;
  for (const Reasoned& item : items) {
    if (!absl::c_linear_search(reasons, item.reason)) {
      reasons.push_back(item.reason);
    }
  }
  std::string text = absl::StrCat("\n", items.size(), " ", kind, ":\n");
  size_t listed = 0;
  for (const absl::string_view reason : reasons) {
    if (listed == kListed) {
      break;
    }
    absl::StrAppend(&text, "  ", Printable(reason), "\n");
    for (const Reasoned& item : items) {
      if (item.reason == reason && listed < kListed) {
        absl::StrAppend(&text, "    ", Printable(item.what), "\n");
        ++listed;
      }
    }
  }
  if (items.size() > listed) {
    absl::StrAppend(&text, "  and ", items.size() - listed,
                    " more (see --json)\n");
  }
  return text;
}

std::string Unmatched(const ComparisonResult& result) {
  std::vector<Reasoned> items;
  for (const UnmatchedNode& node : result.unmatched) {
    const absl::string_view op = ShortOp(node.op);
    items.push_back(
        {absl::StrFormat("%-9s  %s", node.model,
                         node.fqn.empty()
                             ? std::string(op)
                             : absl::StrCat(node.fqn, " (", op, ")")),
         node.reason});
  }
  return ReasonList(items, "unmatched");
}

std::string NotShadowedList(const ComparisonResult& result) {
  std::vector<Reasoned> items;
  for (const NotShadowed& layer : result.not_shadowed) {
    items.push_back({layer.name, layer.reason});
  }
  return ReasonList(items, "not shadowed");
}

std::vector<Column> TableColumns(const ComparisonResult& result,
                                 const Layers& layers, size_t bar_cells) {
  // A wide bar is for terminals where names fit as they are.
  const bool wide = bar_cells == kWideBar;
  const Shrink names_shrink = wide ? Shrink::kNever : Shrink::kLater;
  const Shrink ops_shrink = wide ? Shrink::kNever : Shrink::kFirst;
  const Figure bar_figure = BarFigure(result);
  const Layers ranked = Ranked(result, bar_figure);
  const size_t marks =
      std::min(layers.size() / kRowsPerMark, std::size(kMarks));

  Column names{{{"", ""}, {"layer", kBold}}, false, names_shrink};
  Column float_ops{{{"float", kBold}, {"subgraph", kBold}}, false, ops_shrink};
  Column quantized_ops{
      {{"quantized", kBold}, {"op", kBold}}, false, ops_shrink};
  Column bars{{{absl::StrCat(kFigureNames[bar_figure], ", dB"), kBold},
               {std::string(BarScale(bar_cells)), kBold}}};
  for (const LayerComparison* layer : layers) {
    const std::optional<double> db = Sqnr(*layer, bar_figure);
    names.cells.push_back({Printable(layer->name), DbColor(db)});
    float_ops.cells.push_back({SubgraphText(layer->float_side), ""});
    quantized_ops.cells.push_back(
        {Printable(ShortOp(layer->quantized_side.op)), ""});
    std::string bar = Bar(db, bar_cells);
    const size_t rank =
        std::find(ranked.begin(), ranked.end(), layer) - ranked.begin();
    if (rank < marks && rank < ranked.size()) {
      absl::StrAppend(&bar, kMarks[rank]);
    }
    bars.cells.push_back({bar, DbColor(db)});
  }
  std::vector<Column> columns = {names, float_ops, quantized_ops};
  for (const Figure figure : ShownFigures(result)) {
    columns.push_back(FigureColumn(layers, figure));
  }
  if (bar_cells > 0) {
    columns.push_back(std::move(bars));
  }
  return columns;
}

// "lowest activation SQNR   8.7 dB  layer4.1.conv2  (nan in 1 layer)"
std::string LowestLine(const ComparisonResult& result, Figure figure) {
  size_t compared = 0;
  size_t nans = 0;
  for (const LayerComparison& layer : result.layers) {
    if (const std::optional<double> db = Sqnr(layer, figure)) {
      ++compared;
      nans += std::isnan(*db) ? 1 : 0;
    }
  }
  std::string line = absl::StrFormat(
      "lowest %-15s ", absl::StrCat(kFigureNames[figure], " SQNR"));
  const Layers ranked = Ranked(result, figure);
  if (!ranked.empty()) {
    absl::StrAppendFormat(&line, "%5s dB  %s",
                          FormatDb(Sqnr(*ranked[0], figure)),
                          Printable(ranked[0]->name));
  } else {
    line += compared == 0 ? "    -" : compared > nans ? "exact" : "  nan";
  }
  if (nans > 0) {
    absl::StrAppend(&line, "  (nan in ", nans,
                    nans == 1 ? " layer)" : " layers)");
  }
  return line + "\n";
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
  std::string table;
  if (!layers.empty()) {
    const size_t limit = std::max(options.width, 0);
    std::vector<Column> columns;
    std::vector<size_t> widths;
    for (const size_t bar_cells : {kWideBar, kNarrowBar, size_t{0}}) {
      columns = TableColumns(result, layers, bar_cells);
      widths = FitWidths(columns, limit);
      if (limit == 0 || Width(widths) <= limit) {
        break;
      }
    }
    absl::StrAppend(&table, Render(columns, widths, options.color), "\n");
  }
  absl::StrAppend(&table, CountLine(result));
  if (!layers.empty()) {
    for (const Figure figure : ShownFigures(result)) {
      absl::StrAppend(&table, LowestLine(result, figure));
    }
  }
  return absl::StrCat(table, Unmatched(result), NotShadowedList(result));
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
  return absl::StrCat(table, CountLine(result), Unmatched(result));
}

}  // namespace ns
