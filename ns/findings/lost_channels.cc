#include "ns/findings/lost_channels.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ns/findings/error_breakdown.h"
#include "ns/findings/readers.h"

namespace ns {
namespace {

constexpr double kGapDb = 15;
constexpr double kLostShare = 0.25;
constexpr double kMissedDb = 10;

// Returns LostChannels::sqnr_db; absent where the channels are not missed, or
// where that is not known.
std::optional<double> LeftToReaders(const ComparisonResult& result,
                                    size_t index) {
  const LayerComparison& layer = result.layers[index];
  const std::vector<size_t> readers = ReadersOf(result, index);
  if (readers.empty()) {
    return layer.shadow->channels->median_sqnr_db;
  }
  std::optional<double> least;
  for (const size_t reader : readers) {
    const std::optional<ErrorFigures>& inherited =
        result.layers[reader].inherited;
    if (layer.activation && inherited &&
        inherited->sqnr_db <= layer.activation->error.sqnr_db - kMissedDb) {
      least = std::min(least.value_or(INFINITY), inherited->sqnr_db);
    }
  }
  return least;
}

}  // namespace

bool LosesChannels(double sqnr_db, const ChannelSummary& channels) {
  return std::isfinite(sqnr_db) && sqnr_db - channels.median_sqnr_db > kGapDb &&
         channels.below_3db<channels.channels&& static_cast<double>(
             channels.below_3db)>
                 kLostShare *
             static_cast<double>(channels.channels);
}

bool LosesChannels(const LayerComparison& layer) {
  return layer.shadow && layer.shadow->channels &&
         LosesChannels(layer.shadow->error.sqnr_db, *layer.shadow->channels);
}

std::optional<LostChannels> WorstLostChannels(const ComparisonResult& result) {
  const std::vector<bool> taken_back = TakenBack(result);
  std::optional<LostChannels> worst;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (taken_back[i] || !layer.unpaired_input.empty() ||
        !LosesChannels(layer)) {
      continue;
    }
    const std::optional<double> left = LeftToReaders(result, i);
    if (left && (!worst || *left < worst->sqnr_db)) {
      worst = LostChannels{i, *left};
    }
  }
  return worst;
}

}  // namespace ns
