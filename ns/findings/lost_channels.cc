#include "ns/findings/lost_channels.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/value_flow.h"

namespace ns {
namespace {

constexpr double kGapDb = 15;
constexpr double kLostShare = 0.25;
constexpr double kMissedDb = 10;

// Whether what `layer` inherits is more than kMissedDb worse than all that
// flows in: it needs what is lost there.
bool Misses(const ComparisonResult& result, const LayerComparison& layer) {
  double least = INFINITY;
  for (const size_t producer : layer.producers) {
    const auto& activation = result.layers[producer].activation;
    least = std::min(least, activation ? activation->error.sqnr_db : -INFINITY);
  }
  return layer.inherited && layer.inherited->sqnr_db <= least - kMissedDb;
}

// Returns LostChannels::sqnr_db, `in_outputs` for what only the outputs of the
// model read; absent where the channels are not missed, or where that is not
// known.
std::optional<double> LeftToReaders(const ComparisonResult& result,
                                    size_t index, double in_outputs) {
  if (ReadersOf(result, index).empty()) {
    return in_outputs;
  }
  std::optional<double> left;
  VisitReaders(result, index, [&](size_t reader) {
    const LayerComparison& layer = result.layers[reader];
    const bool misses = Misses(result, layer);
    if (misses) {
      left = std::min(left.value_or(INFINITY), layer.inherited->sqnr_db);
    }
    // An activation may hand the channels on to what needs them.
    return !misses && layer.weights.empty();
  });
  return left;
}

bool HasDeadChannels(const LayerComparison& layer) {
  constexpr double kDeadShare = 0.05;
  return layer.shadow && layer.shadow->channels &&
         static_cast<double>(layer.shadow->channels->dead) >
             kDeadShare * static_cast<double>(layer.shadow->channels->channels);
}

// Returns the layer that `loses` channels and leaves least: `in_outputs` of its
// channels to the outputs of the model.
std::optional<LostChannels> WorstOf(
    const ComparisonResult& result,
    absl::FunctionRef<bool(const LayerComparison&)> loses,
    absl::FunctionRef<double(const ChannelSummary&)> in_outputs) {
  const std::vector<bool> taken_back = TakenBack(result);
  std::optional<LostChannels> worst;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (taken_back[i] || !layer.unpaired_input.empty() || !loses(layer)) {
      continue;
    }
    const std::optional<double> left =
        LeftToReaders(result, i, in_outputs(*layer.shadow->channels));
    if (left && (!worst || *left < worst->sqnr_db)) {
      worst = LostChannels{i, *left};
    }
  }
  return worst;
}

}  // namespace

bool LosesChannels(double sqnr_db, const ChannelSummary& channels) {
  const auto lost = static_cast<double>(channels.below_3db);
  const auto all = static_cast<double>(channels.channels);
  return std::isfinite(sqnr_db) && sqnr_db - channels.median_sqnr_db > kGapDb &&
         lost < all && lost > kLostShare * all;
}

bool LosesChannels(const LayerComparison& layer) {
  return layer.shadow && layer.shadow->channels &&
         LosesChannels(layer.shadow->error.sqnr_db, *layer.shadow->channels);
}

std::optional<LostChannels> WorstLostChannels(const ComparisonResult& result) {
  return WorstOf(
      result, [](const LayerComparison& layer) { return LosesChannels(layer); },
      [](const ChannelSummary& channels) { return channels.median_sqnr_db; });
}

std::optional<LostChannels> WorstDeadChannels(const ComparisonResult& result) {
  return WorstOf(result, HasDeadChannels,
                 [](const ChannelSummary&) { return 0.0; });
}

}  // namespace ns
