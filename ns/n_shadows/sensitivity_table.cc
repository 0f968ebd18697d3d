#include "ns/n_shadows/sensitivity_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ns/report/table/text_table.h"
#include "ns/report/table/top_rows.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr double kRedDb = 10;
constexpr double kYellowDb = 20;
constexpr absl::string_view kBold = "\x1b[1m";
constexpr absl::string_view kRed = "\x1b[31m";
constexpr absl::string_view kYellow = "\x1b[33m";
constexpr size_t kListed = 20;

absl::string_view ShortOp(absl::string_view op) {
  const size_t colon = op.rfind(':');
  return colon == absl::string_view::npos ? op : op.substr(colon + 1);
}

const CandidateResult* Find(const ShadowedSubgraph& layer, int candidate) {
  for (const CandidateResult& result : layer.candidates) {
    if (result.candidate == candidate && !result.call_sqnr_db.empty()) {
      return &result;
    }
  }
  return nullptr;
}

std::string FormatDb(double db) {
  return std::isinf(db)   ? (db > 0 ? "exact" : "-inf")
         : std::isnan(db) ? "nan"
                          : absl::StrFormat("%.1f", db);
}

absl::string_view DbColor(double db) {
  return db >= kYellowDb ? "" : db >= kRedDb ? kYellow : kRed;  // nan is red.
}

Cell SqnrCell(const CandidateResult* candidate) {
  if (candidate == nullptr) {
    return {"-", ""};
  }
  const double db = candidate->pooled.SqnrDb();
  return {FormatDb(db), DbColor(db)};
}

// What rows are sorted by: whether there is no integer candidate, and the
// largest SQNR of one.
std::pair<bool, double> BestInteger(const Sensitivity& sensitivity,
                                    const ShadowedSubgraph& layer) {
  double best = -std::numeric_limits<double>::infinity();
  bool found = false;
  for (const CandidateResult& candidate : layer.candidates) {
    if (!IsFloatCandidate(sensitivity.candidates[candidate.candidate]) &&
        !candidate.call_sqnr_db.empty()) {
      found = true;
      best = std::max(best, candidate.pooled.SqnrDb());
    }
  }
  return {!found, best};
}

std::vector<size_t> RowOrder(const Sensitivity& sensitivity, bool by_error) {
  std::vector<size_t> order(sensitivity.layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (by_error) {
    std::vector<std::pair<bool, double>> best;
    for (const ShadowedSubgraph& layer : sensitivity.layers) {
      best.push_back(BestInteger(sensitivity, layer));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t x, size_t y) { return best[x] < best[y]; });
  }
  return order;
}

// "int8 per channel" in two lines: "int8", "per channel".
Column CandidateColumn(const QConfig& qconfig) {
  const std::string name = QConfigName(qconfig);
  const size_t blank = name.find(' ');
  const bool is_split = blank != std::string::npos;
  return Column{{{is_split ? name.substr(0, blank) : "", kBold},
                 {is_split ? name.substr(blank + 1) : name, kBold}},
                /*align_right=*/true};
}

std::vector<Column> Columns(const SensitivityReport& report,
                            const std::vector<size_t>& order) {
  const Sensitivity& sensitivity = report.sensitivity;
  std::vector<Column> columns = {
      {{{"", ""}, {"layer", kBold}}, false, Shrink::kLater},
      {{{"", ""}, {"op", kBold}}, false, Shrink::kFirst}};
  for (const size_t row : order) {
    const ShadowedSubgraph& layer = sensitivity.layers[row];
    columns[0].cells.push_back({Printable(layer.name), ""});
    columns[1].cells.push_back({Printable(ShortOp(layer.op)), ""});
  }
  for (size_t i = 0; i < sensitivity.candidates.size(); ++i) {
    Column column = CandidateColumn(sensitivity.candidates[i]);
    for (const size_t row : order) {
      column.cells.push_back(
          SqnrCell(Find(sensitivity.layers[row], static_cast<int>(i))));
    }
    columns.push_back(std::move(column));
  }
  if (report.plan) {
    Column uses{{{"", ""}, {"use", kBold}}};
    for (const size_t row : order) {
      uses.cells.push_back(
          {UseOf(report, row), StaysInFloat(report, row) ? kRed : ""});
    }
    columns.push_back(std::move(uses));
  }
  return columns;
}

std::string Counted(size_t count, absl::string_view noun,
                    absl::string_view plural) {
  return absl::StrCat(count, " ", count == 1 ? noun : plural);
}

// "at 30.0 dB or more".
std::string PromiseText(double sqnr_db) {
  if (std::isinf(sqnr_db)) {
    return sqnr_db > 0 ? "exact" : "with any error";
  }
  return absl::StrFormat("at %.1f dB or more", sqnr_db);
}

// "each quantized layer at 30.0 dB or more: 12 int8 per tensor, 2 float".
std::string PlanText(const SensitivityReport& report) {
  const Sensitivity& sensitivity = report.sensitivity;
  std::map<int, size_t> counts;  // -1 is float.
  std::vector<std::string> kept;
  for (size_t i = 0; i < sensitivity.layers.size(); ++i) {
    ++counts[report.plan->choices[i].value_or(-1)];
    if (StaysInFloat(report, i)) {
      kept.push_back(Printable(sensitivity.layers[i].name));
    }
  }
  std::vector<std::string> uses;
  for (const auto& [choice, count] : counts) {
    if (choice >= 0) {
      uses.push_back(absl::StrCat(count, " ",
                                  QConfigName(sensitivity.candidates[choice])));
    }
  }
  if (counts.count(-1) > 0) {
    uses.push_back(absl::StrCat(counts.at(-1), " float"));
  }
  return absl::StrCat("each quantized layer ",
                      PromiseText(report.plan->sqnr_db), ": ",
                      absl::StrJoin(uses, ", "), "\nkeep in float: ",
                      kept.empty() ? "none" : absl::StrJoin(kept, ", "), "\n");
}

// The skipped candidates, those with one reason in one line.
std::string SkippedText(const Sensitivity& sensitivity) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const SkippedCandidate& skipped : sensitivity.skipped) {
    const auto it = std::find_if(
        by_reason.begin(), by_reason.end(),
        [&](const auto& one) { return one.first == skipped.reason; });
    if (it == by_reason.end()) {
      by_reason.push_back({skipped.reason, {skipped.subgraph}});
    } else {
      it->second.push_back(skipped.subgraph);
    }
  }
  std::string text;
  for (size_t i = 0; i < std::min(by_reason.size(), kListed); ++i) {
    const auto& [reason, names] = by_reason[i];
    absl::StrAppend(
        &text, "  ", Printable(reason), " (", Printable(names.front()),
        names.size() > 1 ? absl::StrCat(" and ", names.size() - 1, " more")
                         : "",
        ")\n");
  }
  if (by_reason.size() > kListed) {
    absl::StrAppend(&text, "  and ", by_reason.size() - kListed,
                    " more reasons (see --json)\n");
  }
  return text.empty() ? "" : absl::StrCat("\nnot tried:\n", text);
}

}  // namespace

std::string SensitivityTable(const SensitivityReport& report,
                             const TableOptions& options) {
  const Sensitivity& sensitivity = report.sensitivity;
  std::string text;
  if (!sensitivity.layers.empty()) {
    auto rows = RowOrder(sensitivity, options.sort_by_error);
    const std::string left_out = KeepTop(options.top, "layer", rows);
    const std::vector<Column> columns = Columns(report, rows);
    text = absl::StrCat(
        Render(columns, FitWidths(columns, std::max(options.width, 0)),
               options.color),
        left_out, "\n");
  }
  absl::StrAppend(
      &text, "SQNR in dB of each candidate, ",
      Counted(sensitivity.layers.size(), "layer", "layers"), ", ",
      Counted(static_cast<size_t>(sensitivity.batches), "batch", "batches"),
      "\n");
  if (report.plan) {
    text += PlanText(report);
  }
  if (!sensitivity.never_ran.empty()) {
    absl::StrAppend(
        &text, "\n", Counted(sensitivity.never_ran.size(), "layer", "layers"),
        " that no batch came by: ",
        Printable(absl::StrJoin(sensitivity.never_ran, ", ")), "\n");
  }
  return text + SkippedText(sensitivity);
}

}  // namespace ns
