#include "ns/findings/lost_channels.h"

#include <cmath>
#include <vector>

#include "ns/findings/error_breakdown.h"

namespace ns {
namespace {

constexpr double kGapDb = 15;
constexpr double kLostShare = 0.25;

}  // namespace

bool LosesChannels(const LayerComparison& layer) {
  if (!layer.shadow || !layer.shadow->channels ||
      !std::isfinite(layer.shadow->error.sqnr_db)) {
    return false;
  }
  const ChannelSummary& channels = *layer.shadow->channels;
  return layer.shadow->error.sqnr_db - channels.median_sqnr_db > kGapDb &&
         static_cast<double>(channels.below_3db) >
             kLostShare * static_cast<double>(channels.channels);
}

std::optional<size_t> WorstLostChannels(const ComparisonResult& result) {
  const std::vector<bool> taken_back = TakenBack(result);
  std::optional<size_t> worst;
  double lowest = INFINITY;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    if (!taken_back[i] && layer.unpaired_input.empty() &&
        LosesChannels(layer) &&
        layer.shadow->channels->median_sqnr_db < lowest) {
      worst = i;
      lowest = layer.shadow->channels->median_sqnr_db;
    }
  }
  return worst;
}

}  // namespace ns
