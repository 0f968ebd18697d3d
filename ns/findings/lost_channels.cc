#include "ns/findings/lost_channels.h"

#include <cmath>
#include <vector>

#include "ns/findings/error_breakdown.h"

namespace ns {
namespace {

constexpr double kGapDb = 15;
constexpr double kLostShare = 0.25;

}  // namespace

bool LosesChannels(double sqnr_db, const ChannelSummary& channels) {
  return std::isfinite(sqnr_db) && sqnr_db - channels.median_sqnr_db > kGapDb &&
         static_cast<double>(channels.below_3db) >
             kLostShare * static_cast<double>(channels.channels);
}

bool LosesChannels(const LayerComparison& layer) {
  return layer.shadow && layer.shadow->channels &&
         LosesChannels(layer.shadow->error.sqnr_db, *layer.shadow->channels);
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
