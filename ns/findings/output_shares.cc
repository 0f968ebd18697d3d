#include "ns/findings/output_shares.h"

#include <cmath>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

constexpr double kHoldsWithin = 2;
constexpr double kAlike = 0.1;

}  // namespace

std::optional<double> ExplainedShare(const ComparisonResult& result) {
  std::optional<double> sum;
  for (const LayerComparison& layer : result.layers) {
    if (layer.output_share) {
      sum = sum.value_or(0) + *layer.output_share;
    }
  }
  return sum;
}

bool SharesHold(const ComparisonResult& result) {
  const double explained = ExplainedShare(result).value_or(0);
  double sizes = 0;
  for (const LayerComparison& layer : result.layers) {
    sizes += std::abs(layer.output_share.value_or(0));
  }
  return explained >= 1 / kHoldsWithin && sizes <= kHoldsWithin;
}

std::vector<size_t> LayersByShare(const ComparisonResult& result) {
  std::vector<size_t> layers;
  for (size_t i = 0; i < result.layers.size(); ++i) {
    if (result.layers[i].output_share.value_or(0) > 0) {
      layers.push_back(i);
    }
  }
  absl::c_stable_sort(layers, [&](size_t a, size_t b) {
    return *result.layers[a].output_share > *result.layers[b].output_share;
  });
  return layers;
}

std::vector<size_t> LayersLike(const ComparisonResult& result, size_t layer) {
  std::vector<size_t> layers = {layer};
  const double share = result.layers[layer].output_share.value_or(0);
  if (SharesHold(result) && share > 0) {
    for (const size_t other : LayersByShare(result)) {
      const double of_other = *result.layers[other].output_share;
      if (other != layer && of_other <= share &&
          of_other >= (1 - kAlike) * share) {
        layers.push_back(other);
      }
    }
  }
  return layers;
}

}  // namespace ns
