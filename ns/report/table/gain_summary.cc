#include "ns/report/table/gain_summary.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ns/report/table/change_text.h"
#include "ns/report/table/summary_line.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr size_t kListed = 5;

struct Gain {
  double db;
  std::string text;
};

// Returns a line for each of the largest `gains`, or one with `none`.
std::string Lines(std::vector<Gain> gains, absl::string_view none) {
  constexpr absl::string_view kLabel = "measured gain";
  if (gains.empty()) {
    return SummaryLine(kLabel, none);
  }
  absl::c_stable_sort(gains,
                      [](const Gain& a, const Gain& b) { return a.db > b.db; });
  gains.resize(std::min(gains.size(), kListed));
  std::string lines;
  for (const Gain& gain : gains) {
    absl::StrAppend(&lines, SummaryLine(kLabel, gain.text));
  }
  return lines;
}

std::string TextOf(const LayerComparison& layer, const std::string& change) {
  return absl::StrCat(Printable(layer.name), "  ", change);
}

}  // namespace

std::string GainSummary(const ComparisonResult& result) {
  bool has_measured = false;
  bool has_tried = false;
  std::vector<Gain> in_float;
  std::vector<Gain> of_changes;
  for (const LayerComparison& layer : result.layers) {
    has_measured |= layer.in_float.has_value();
    has_tried |= !layer.tried_changes.empty();
    if (layer.in_float && layer.in_float->GainDb() >= kLeastSuggestedGainDb) {
      in_float.push_back({layer.in_float->GainDb(),
                          TextOf(layer, FloatGainText(*layer.in_float))});
    }
    for (const TriedChange& change : SuggestedChanges(layer)) {
      of_changes.push_back(
          {GainDb(layer, change), TextOf(layer, ChangeText(layer, change))});
    }
  }
  return absl::StrCat(
      has_measured ? Lines(in_float, "no single layer in float helps") : "",
      has_tried ? Lines(of_changes, "no other range, weight or bias helps")
                : "");
}

}  // namespace ns
