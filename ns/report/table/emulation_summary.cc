#include "ns/report/table/emulation_summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ns/result/printable.h"

namespace ns {
namespace {

constexpr size_t kListed = 10;

using Layers = std::vector<const LayerComparison*>;

double Share(const LayerComparison& layer) {
  return layer.saturation->Share().value_or(0);
}

bool IsWorse(const LayerComparison* a, const LayerComparison* b) {
  const auto cost = [](const LayerComparison& layer) {
    const PairSaturation& saturation = *layer.saturation;
    const double db =
        saturation.shadow_cost_db.value_or(saturation.cost_db.value_or(0));
    return std::isnan(db) ? INFINITY : db;
  };
  return cost(*a) != cost(*b) ? cost(*a) > cost(*b) : Share(*a) > Share(*b);
}

std::string Listed(const Layers& layers,
                   std::string (*describe)(const LayerComparison&)) {
  std::string text;
  const size_t listed = std::min(layers.size(), kListed);
  for (size_t i = 0; i < listed; ++i) {
    absl::StrAppend(&text, "  ", Printable(layers[i]->name), " (",
                    describe(*layers[i]), ")\n");
  }
  if (layers.size() > listed) {
    absl::StrAppend(&text, "  and ", layers.size() - listed,
                    " more (see --json)\n");
  }
  return text;
}

// Returns "sums saturate in 2 layers:\n" and the list, or "sums saturate in no
// layer\n".
std::string Section(absl::string_view what, const Layers& layers,
                    std::string (*describe)(const LayerComparison&)) {
  if (layers.empty()) {
    return absl::StrCat(what, " in no layer\n");
  }
  return absl::StrCat(what, " in ", layers.size(),
                      layers.size() == 1 ? " layer:\n" : " layers:\n",
                      Listed(layers, describe));
}

// Returns "1.2 % of 4096 outputs; costs 4.1 dB by itself, 5.3 dB with those
// before".
std::string DescribeCounts(const LayerComparison& layer) {
  const PairSaturation& saturation = *layer.saturation;
  const double percent = 100 * Share(layer);
  std::string text =
      absl::StrCat(percent < 1 ? absl::StrFormat("%.2g", percent)
                               : absl::StrFormat("%.1f", percent),
                   " % of ", *saturation.outputs, " outputs");
  std::vector<std::string> costs;
  if (saturation.shadow_cost_db) {
    costs.push_back(
        absl::StrFormat("%.1f dB by itself", *saturation.shadow_cost_db));
  }
  if (saturation.cost_db) {
    costs.push_back(
        absl::StrFormat("%.1f dB with those before", *saturation.cost_db));
  }
  if (!costs.empty()) {
    absl::StrAppend(&text, "; costs ", absl::StrJoin(costs, ", "));
  }
  return text;
}

// Returns "in 3 of 64 channels; pair sums up to 64770".
std::string DescribeCheck(const LayerComparison& layer) {
  const PairSaturation& saturation = *layer.saturation;
  return absl::StrCat("in ", saturation.saturating_channels, " of ",
                      saturation.channels, " channels; pair sums ",
                      saturation.worst_pair_sum < 0 ? "down to " : "up to ",
                      saturation.worst_pair_sum);
}

std::string Names(const Layers& layers) {
  std::vector<std::string> names;
  const size_t listed = std::min(layers.size(), kListed);
  for (size_t i = 0; i < listed; ++i) {
    names.push_back(Printable(layers[i]->name));
  }
  std::string text = absl::StrJoin(names, ", ");
  if (layers.size() > listed) {
    absl::StrAppend(&text, " and ", layers.size() - listed, " more");
  }
  return text;
}

}  // namespace

std::string EmulationSummary(const ComparisonResult& result) {
  if (result.emulated.empty()) {
    return "";
  }
  bool ran = false;
  size_t impossible = 0;
  Layers possible;
  Layers saturating;
  Layers spared;
  for (const LayerComparison& layer : result.layers) {
    if (!layer.saturation) {
      continue;
    }
    const bool saturates = layer.saturation->saturated.value_or(0) > 0;
    ran = ran || layer.saturation->outputs.has_value();
    if (!layer.saturation->IsPossible()) {
      ++impossible;
      continue;
    }
    possible.push_back(&layer);
    (saturates ? saturating : spared).push_back(&layer);
  }
  absl::c_stable_sort(saturating, IsWorse);
  std::string text =
      absl::StrCat("\n", result.emulated, ": ",
                   ran ? Section("sums saturate", saturating, DescribeCounts)
                       : Section("sums can saturate", possible, DescribeCheck));
  if (ran && !spared.empty()) {
    absl::StrAppend(&text, "  could, and did not: ", Names(spared), "\n");
  }
  if (impossible > 0) {
    absl::StrAppend(&text, "  cannot: ", impossible,
                    impossible == 1 ? " layer\n" : " layers\n");
  }
  return text;
}

}  // namespace ns
