#include "ns/search/search_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/table_figures.h"
#include "ns/report/table/reason_list.h"
#include "ns/report/table/text_table.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

// So many points of the frontier are shown, and more if more were measured.
constexpr size_t kPoints = 8;

Column Titled(const char* above, const char* title, bool align_right = true,
              Shrink shrink = Shrink::kNever) {
  return {{{above, kBold}, {title, kBold}}, align_right, shrink};
}

std::string Db(double db) {
  const std::string text = FormatDb(db);
  return text == "exact" ? text : absl::StrCat(text, " dB");
}

std::string LayerRows(const SearchResult& result, const TableOptions& options) {
  double time = result.rest.time_us;
  for (const SearchedLayer& layer : result.layers) {
    time += layer.time_us;
  }
  std::vector<Column> columns = {Titled("", "layer", false, Shrink::kLater),
                                 Titled("", "op", false, Shrink::kFirst),
                                 Titled("", "use", false),
                                 Titled("noise", "%"),
                                 Titled("time", "us"),
                                 Titled("time", "%")};
  const auto add_row = [&](const std::string& name, const std::string& op,
                           const std::string& choice, double noise_share,
                           double time_us) {
    const std::string cells[] = {
        name,
        op,
        choice,
        absl::StrFormat("%.1f", 100 * noise_share),
        absl::StrFormat("%.0f", time_us),
        absl::StrFormat("%.1f", time == 0 ? 0 : 100 * time_us / time)};
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i].cells.push_back({cells[i], ""});
    }
  };
  for (const SearchedLayer& layer : result.layers) {
    add_row(Printable(layer.name), Printable(ShortOp(layer.op)),
            Printable(layer.choice), layer.noise_share, layer.time_us);
  }
  add_row("(all else)", "", "", result.rest.noise_share, result.rest.time_us);
  return Render(columns, FitWidths(columns, std::max(options.width, 0)),
                options.color);
}

std::string SkippedList(const SearchResult& result) {
  std::vector<Reasoned> items;
  for (const SkippedChoice& skipped : result.skipped) {
    items.push_back({absl::StrCat(skipped.layer, " as ", skipped.candidate),
                     skipped.reason});
  }
  return ReasonList(items, "not tried");
}

// Returns the indices of the points to show: those at both ends, those that
// were measured, and some of the others, up to kPoints if so many suffice.
std::set<size_t> PointsToShow(const std::vector<ParetoPoint>& pareto) {
  std::set<size_t> shown;
  for (size_t i = 0; i < pareto.size(); ++i) {
    if (i == 0 || i + 1 == pareto.size() || pareto[i].is_measured) {
      shown.insert(i);
    }
  }
  // Always the one in the middle of the longest row that is not shown.
  while (shown.size() < std::min(pareto.size(), kPoints)) {
    size_t begin = 0;
    size_t length = 0;
    for (auto after = std::next(shown.begin()); after != shown.end(); ++after) {
      const size_t before = *std::prev(after);
      if (*after - before > length) {
        begin = before;
        length = *after - before;
      }
    }
    shown.insert(begin + length / 2);
  }
  return shown;
}

std::string FrontierText(const SearchResult& result) {
  std::string text = "\nfrontier:\n";
  for (const size_t i : PointsToShow(result.pareto)) {
    const ParetoPoint& point = result.pareto[i];
    absl::StrAppend(
        &text,
        absl::StrFormat("  %9s %-9s  %7.0f us  %d in int8", Db(point.sqnr_db),
                        point.is_measured ? "measured" : "predicted",
                        point.time_us, point.int8_layers),
        point.is_chosen
            ? absl::StrFormat(" ← chosen, %.0f us measured", result.measured_us)
            : "",
        "\n");
  }
  return text;
}

std::string Top1Text(const SearchResult& result) {
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  if (!chosen.top1) {
    return "";
  }
  const PairedCounts& counts = *chosen.top1;
  const auto percent = [&](int64_t correct) {
    return 100.0 * static_cast<double>(correct) /
           static_cast<double>(counts.samples);
  };
  return absl::StrFormat(
      "top-1 %.2f %% in float, %.2f %% quantized, of %d samples: %d lost, %d "
      "won; a drop of %g points or less: p = %.2g\n",
      percent(counts.float_correct), percent(counts.quantized_correct),
      counts.samples, counts.lost, counts.won, *result.max_drop,
      chosen.p_value);
}

}  // namespace

std::string SearchTable(const SearchResult& result,
                        const TableOptions& options) {
  const VerifiedRecipe& chosen = result.verified[result.chosen];
  const auto in_float =
      std::count(chosen.choices.begin(), chosen.choices.end(), 0);
  return absl::StrCat(
      LayerRows(result, options), SkippedList(result), FrontierText(result),
      absl::StrFormat("\n%d of %d layers in float; %.0f us for a batch, %.0f "
                      "us predicted; float model %.0f us\n",
                      in_float, result.layers.size(), result.measured_us,
                      chosen.predicted_us, result.float_us),
      absl::StrFormat("%.2f float and %.2f quantized passes over %d %s\n",
                      result.float_passes, result.quantized_passes,
                      result.batches,
                      result.batches == 1 ? "batch" : "batches"),
      Top1Text(result), "SQNR ", Db(chosen.predicted_db), " predicted, ",
      Db(chosen.measured_db), " measured on ", result.measured_batches,
      result.measured_batches == 1 ? " batch" : " batches",
      result.budget_db ? absl::StrFormat("; budget %g dB", *result.budget_db)
                       : "",
      "\n");
}

std::vector<std::string> SearchWarnings(const SearchResult& result) {
  std::vector<std::string> warnings = result.warnings;
  if (result.measured_us >= result.float_us) {
    warnings.push_back(absl::StrFormat(
        "the recipe saves no time: a batch takes %.0f us, and %.0f us in float",
        result.measured_us, result.float_us));
  }
  return warnings;
}

}  // namespace ns
