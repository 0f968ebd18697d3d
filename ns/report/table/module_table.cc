#include "ns/report/table/module_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ns/findings/figure_text.h"
#include "ns/report/table/text_table.h"
#include "ns/report/table/top_rows.h"
#include "ns/result/output_label.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

absl::string_view BareType(absl::string_view type) {
  const size_t dot = type.rfind('.');
  return dot == absl::string_view::npos ? type : type.substr(dot + 1);
}

// A figure in dB, and the label of the tensor that has it.
struct Lowest {
  double db;
  std::string label;
};

// Returns the lowest figure of all tensors of a module; nan is lower than any.
Lowest LowestOf(const ModuleRow& row) {
  Lowest lowest = {row.sqnr_db, row.name};
  for (const ModuleRow::Other& other : row.others) {
    if (IsLowerDb(other.sqnr_db, lowest.db)) {
      lowest = {other.sqnr_db, OutputLabel(row.name, other.name)};
    }
  }
  return lowest;
}

// Rows of integers are behind all others.
bool IsWorse(const ModuleRow& a, const ModuleRow& b) {
  if (a.holds_integers != b.holds_integers) {
    return b.holds_integers;
  }
  return IsLowerDb(LowestOf(a).db, LowestOf(b).db);
}

std::vector<Column> Columns(const std::vector<ModuleRow>& rows,
                            absl::string_view noun, size_t bar_cells) {
  Column names{{{"", ""}, {"module", kBold}}, false, Shrink::kLater};
  Column float_types{
      {{"float", kBold}, {"type", kBold}}, false, Shrink::kFirst};
  Column quantized_types{
      {{"quantized", kBold}, {"type", kBold}}, false, Shrink::kFirst};
  Column figures{{{std::string(noun), kBold}, {"SQNR dB", kBold}},
                 /*align_right=*/true};
  Column bars{{{absl::StrCat(noun, ", dB"), kBold},
               {std::string(BarScale(bar_cells)), kBold}}};
  for (const ModuleRow& row : rows) {
    const double db = row.sqnr_db;
    names.cells.push_back({Printable(row.name), DbColor(db)});
    float_types.cells.push_back({Printable(BareType(row.float_type)), ""});
    quantized_types.cells.push_back(
        {Printable(BareType(row.quantized_type)), ""});
    figures.cells.push_back({FormatDb(db), DbColor(db)});
    bars.cells.push_back({Bar(db, bar_cells), DbColor(db)});
    for (const ModuleRow::Other& other : row.others) {
      const absl::string_view color = DbColor(other.sqnr_db);
      names.cells.push_back({absl::StrCat("  ", Printable(other.name)), color});
      float_types.cells.push_back({"", ""});
      quantized_types.cells.push_back({"", ""});
      figures.cells.push_back({FormatDb(other.sqnr_db), color});
      bars.cells.push_back({Bar(other.sqnr_db, bar_cells), color});
    }
  }
  std::vector<Column> columns = {names, float_types, quantized_types, figures};
  if (bar_cells > 0) {
    columns.push_back(bars);
  }
  return columns;
}

}  // namespace

std::string ToModuleTable(std::vector<ModuleRow> rows, absl::string_view noun,
                          int64_t batches, const TableOptions& options) {
  if (options.sort_by_error) {
    std::stable_sort(rows.begin(), rows.end(), IsWorse);
  }
  std::string count =
      absl::StrCat(rows.size(), " ", noun, rows.size() == 1 ? "" : "s", ", ",
                   batches, batches == 1 ? " batch" : " batches", "\n");
  if (rows.empty()) {
    return count;
  }
  const ModuleRow worst = *std::min_element(rows.begin(), rows.end(), IsWorse);
  const std::string left_out = KeepTop(options.top, noun, rows);
  const size_t limit = std::max(options.width, 0);
  std::vector<Column> columns;
  std::vector<size_t> widths;
  for (const size_t bar_cells : {kWideBar, kNarrowBar, size_t{0}}) {
    columns = Columns(rows, noun, bar_cells);
    widths = FitWidths(columns, limit);
    if (limit == 0 || Width(widths) <= limit) {
      break;
    }
  }
  const std::string table = absl::StrCat(Render(columns, widths, options.color),
                                         left_out, "\n", count);
  if (worst.holds_integers) {
    return table;
  }
  const Lowest lowest = LowestOf(worst);
  return absl::StrCat(table, "lowest ", noun, " SQNR  ", FormatDb(lowest.db),
                      std::isfinite(lowest.db) ? " dB" : "", "  ",
                      Printable(lowest.label), "\n");
}

}  // namespace ns
