#include "ns/report/stub_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ns/report/figure_text.h"
#include "ns/report/text_table.h"
#include "ns/suite/printable.h"

namespace ns {
namespace {

using Stubs = std::vector<const StubComparison*>;

absl::string_view BareType(absl::string_view type) {
  const size_t dot = type.rfind('.');
  return dot == absl::string_view::npos ? type : type.substr(dot + 1);
}

double SqnrOf(const StubComparison& stub) { return stub.figures.error.sqnr_db; }

// A figure of a stub, and the output that has it; null for the first.
struct Lowest {
  double db;
  const StubOutput* output = nullptr;
};

// Of all outputs the lowest, nan before all.
Lowest LowestOf(const StubComparison& stub) {
  Lowest lowest = {SqnrOf(stub)};
  for (const StubOutput& output : stub.outputs) {
    const double db = output.figures.error.sqnr_db;
    if (IsLowerDb(db, lowest.db)) {
      lowest = {db, &output};
    }
  }
  return lowest;
}

bool IsWorse(const StubComparison* a, const StubComparison* b) {
  return IsLowerDb(LowestOf(*a).db, LowestOf(*b).db);
}

std::vector<Column> Columns(const Stubs& stubs, size_t bar_cells) {
  Column names{{{"", ""}, {"module", kBold}}, false, Shrink::kLater};
  Column float_types{
      {{"float", kBold}, {"type", kBold}}, false, Shrink::kFirst};
  Column quantized_types{
      {{"quantized", kBold}, {"type", kBold}}, false, Shrink::kFirst};
  Column figures{{{"stub", kBold}, {"SQNR dB", kBold}}, /*align_right=*/true};
  Column bars{{{"stub, dB", kBold}, {std::string(BarScale(bar_cells)), kBold}}};
  for (const StubComparison* stub : stubs) {
    const double db = SqnrOf(*stub);
    names.cells.push_back({Printable(stub->name), DbColor(db)});
    float_types.cells.push_back({Printable(BareType(stub->float_type)), ""});
    quantized_types.cells.push_back(
        {Printable(BareType(stub->quantized_type)), ""});
    figures.cells.push_back({FormatDb(db), DbColor(db)});
    bars.cells.push_back({Bar(db, bar_cells), DbColor(db)});
    for (const StubOutput& output : stub->outputs) {
      const double of_output = output.figures.error.sqnr_db;
      const absl::string_view color = DbColor(of_output);
      names.cells.push_back(
          {absl::StrCat("  ", Printable(output.name)), color});
      float_types.cells.push_back({"", ""});
      quantized_types.cells.push_back({"", ""});
      figures.cells.push_back({FormatDb(of_output), color});
      bars.cells.push_back({Bar(of_output, bar_cells), color});
    }
  }
  std::vector<Column> columns = {names, float_types, quantized_types, figures};
  if (bar_cells > 0) {
    columns.push_back(bars);
  }
  return columns;
}

}  // namespace

std::string ToStubTable(const ComparisonResult& result,
                        const TableOptions& options) {
  Stubs stubs;
  if (result.stubs.has_value()) {
    for (const StubComparison& stub : *result.stubs) {
      stubs.push_back(&stub);
    }
  }
  if (options.sort_by_error) {
    std::stable_sort(stubs.begin(), stubs.end(), IsWorse);
  }
  std::string count = absl::StrCat(
      stubs.size(), stubs.size() == 1 ? " stub" : " stubs", ", ",
      result.batches, result.batches == 1 ? " batch" : " batches", "\n");
  if (stubs.empty()) {
    return count;
  }
  const size_t limit = std::max(options.width, 0);
  std::vector<Column> columns;
  std::vector<size_t> widths;
  for (const size_t bar_cells : {kWideBar, kNarrowBar, size_t{0}}) {
    columns = Columns(stubs, bar_cells);
    widths = FitWidths(columns, limit);
    if (limit == 0 || Width(widths) <= limit) {
      break;
    }
  }
  const StubComparison& worst =
      **std::min_element(stubs.begin(), stubs.end(), IsWorse);
  const Lowest lowest = LowestOf(worst);
  return absl::StrCat(
      Render(columns, widths, options.color), "\n", count, "lowest stub SQNR  ",
      FormatDb(lowest.db), std::isfinite(lowest.db) ? " dB" : "", "  ",
      Printable(worst.name),
      lowest.output == nullptr
          ? ""
          : absl::StrCat(" (", Printable(lowest.output->name), ")"),
      "\n");
}

}  // namespace ns
