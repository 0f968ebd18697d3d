#include "ns/report/table/diff_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/limits/limit_text.h"
#include "ns/report/table/name_list.h"
#include "ns/report/table/text_table.h"
#include "ns/report/table/top_rows.h"
#include "ns/result/output_label.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

// Less than this does not show.
constexpr double kShown = 0.05;
constexpr absl::string_view kRed = "\x1b[31m";
constexpr absl::string_view kGreen = "\x1b[32m";

bool IsShown(const FigureChange& change) {
  // A change from or to nan is nan.
  return !change.IsSame() && !(std::abs(change.Change()) < kShown);
}

// Whether `a` lost more: a nan in the later comparison is the worst, and one in
// the earlier no loss.
bool LostMore(const FigureChange& a, const FigureChange& b) {
  const auto key = [](const FigureChange& change) {
    return std::isnan(change.b)   ? -HUGE_VAL
           : std::isnan(change.a) ? HUGE_VAL
                                  : change.Change();
  };
  return key(a) < key(b);
}

// Returns "+1.2", "-inf"; "nan" where a figure is.
std::string ChangeText(double change) {
  return std::isnan(change) ? "nan" : absl::StrFormat("%+.1f", change);
}

std::string Table(const std::vector<FigureChange>& rows,
                  const TableOptions& options) {
  Column names{{{"", ""}, {"layer", kBold}}, false, Shrink::kFirst};
  Column figures{{{"", ""}, {"figure", kBold}}};
  Column earlier{{{"A", kBold}, {"SQNR dB", kBold}}, /*align_right=*/true};
  Column later{{{"B", kBold}, {"SQNR dB", kBold}}, /*align_right=*/true};
  Column changes{{{"B - A", kBold}, {"dB", kBold}}, /*align_right=*/true};
  for (const FigureChange& row : rows) {
    const double change = row.Change();
    const bool is_worse = std::isnan(row.b) || change < 0;
    names.cells.push_back({Printable(OutputLabel(row.layer, row.part)), ""});
    figures.cells.push_back({row.figure, ""});
    earlier.cells.push_back({FormatDb(row.a), DbColor(row.a)});
    later.cells.push_back({FormatDb(row.b), DbColor(row.b)});
    changes.cells.push_back({ChangeText(change), is_worse ? kRed : kGreen});
  }
  const std::vector<Column> columns = {names, figures, earlier, later, changes};
  return Render(columns, FitWidths(columns, static_cast<size_t>(options.width)),
                options.color);
}

// Lists figures that only one comparison has, by kind. Where the other has none
// of a kind at all, it was not asked for, and the number is enough.
std::string OnlyIn(absl::string_view side,
                   const std::vector<DiffedFigure>& figures,
                   const std::vector<FigureChange>& in_both) {
  std::vector<std::string> kinds;
  for (const DiffedFigure& figure : figures) {
    if (!absl::c_linear_search(kinds, figure.figure)) {
      kinds.push_back(figure.figure);
    }
  }
  std::string text;
  for (const std::string& kind : kinds) {
    std::vector<std::string> names;
    for (const DiffedFigure& figure : figures) {
      if (figure.figure == kind) {
        names.push_back(OutputLabel(figure.layer, figure.part));
      }
    }
    const bool other_has_some = absl::c_any_of(
        in_both,
        [&](const FigureChange& change) { return change.figure == kind; });
    const std::string what = absl::StrCat(
        kind, names.size() == 1 ? " figure" : " figures", " only in ", side);
    absl::StrAppend(&text, other_has_some
                               ? NameList(what, names)
                               : absl::StrCat(names.size(), " ", what, "\n"));
  }
  return text;
}

std::string Changed(absl::string_view what, int64_t a, int64_t b) {
  return a == b ? "" : absl::StrFormat("%s %d in A, %d in B\n", what, a, b);
}

// Returns "differ in 3 layers, first in conv2", or "agree".
std::string BitsText(const std::vector<std::string>& layers) {
  return layers.empty()
             ? "agree"
             : absl::StrCat("differ in ", Counted(layers.size(), "layer"),
                            ", first in ", Printable(layers.front()));
}

std::string BitsLine(const ComparisonDiff& diff) {
  if (diff.fingerprints_of_other_batches) {
    return "bits not compared: the comparisons ran other batches or samples\n";
  }
  return diff.bits ? absl::StrCat(
                         "bits of ", Counted(diff.bits->compared, "layer"),
                         ": the float models ", BitsText(diff.bits->in_float),
                         "; the quantized models ",
                         BitsText(diff.bits->in_quantized), "\n")
                   : "";
}

std::string QParamsText(const LayerQParams& qparams) {
  return absl::StrFormat("%.6g, zero point %d", qparams.scale,
                         qparams.zero_point);
}

std::string QParamsList(const ComparisonDiff& diff) {
  std::string list =
      diff.qparams.empty()
          ? ""
          : absl::StrCat("\n", Counted(diff.qparams.size(), "layer"),
                         " with another scale or zero point:\n");
  for (const QParamsChange& change : diff.qparams) {
    absl::StrAppend(&list, "  ", Printable(change.layer), "  ",
                    QParamsText(change.a), " -> ", QParamsText(change.b), "\n");
  }
  return list;
}

}  // namespace

std::string ToDiffTable(const ComparisonDiff& diff,
                        const std::vector<LimitCheck>& checks,
                        const TableOptions& options) {
  std::vector<FigureChange> rows;
  absl::c_copy_if(diff.changes, std::back_inserter(rows), IsShown);
  if (options.sort_by_error) {
    std::stable_sort(rows.begin(), rows.end(), LostMore);
  }
  const size_t shown = rows.size();
  const std::string left_out = KeepTop(options.top, "figure", rows);
  std::string text =
      rows.empty() ? "" : absl::StrCat(Table(rows, options), left_out, "\n");
  const auto differing = static_cast<size_t>(absl::c_count_if(
      diff.changes, [](const auto& change) { return !change.IsSame(); }));
  absl::StrAppend(
      &text, Counted(diff.layers_in_both, "layer"), " in both, ",
      Counted(diff.changes.size(), "figure"), ": ",
      differing == 0
          ? "no difference"
          : absl::StrCat(differing, differing == 1 ? " differs" : " differ"),
      "\n");
  if (differing > shown) {
    absl::StrAppend(&text, differing - shown, " of them by less than ", kShown,
                    " dB\n");
  }
  absl::StrAppend(
      &text, BitsLine(diff),
      Changed("batches:", diff.batches_a, diff.batches_b),
      Changed("unmatched ops:", static_cast<int64_t>(diff.unmatched_a),
              static_cast<int64_t>(diff.unmatched_b)),
      QParamsList(diff), OnlyIn("A", diff.figures_only_a, diff.changes),
      OnlyIn("B", diff.figures_only_b, diff.changes),
      NameList("new, only in B", diff.only_b),
      NameList("vanished, only in A", diff.only_a));
  if (!checks.empty()) {
    absl::StrAppend(&text, LimitLines(checks));
  }
  return text;
}

}  // namespace ns
