#include "ns/findings/readers.h"

#include <cmath>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

bool HandsOn(const LayerComparison& layer) {
  return layer.weights.empty() && layer.shadow &&
         layer.shadow->error.sqnr_db == INFINITY;
}

}  // namespace

std::vector<size_t> ReadersOf(const ComparisonResult& result, size_t index) {
  std::vector<bool> has_value(result.layers.size());
  has_value[index] = true;
  std::vector<size_t> readers;
  // Layers are in order of execution.
  for (size_t i = index + 1; i < result.layers.size(); ++i) {
    const LayerComparison& layer = result.layers[i];
    const bool reads = absl::c_any_of(layer.producers, [&](size_t producer) {
      return producer < i && has_value[producer];
    });
    if (reads && HandsOn(layer)) {
      has_value[i] = true;
    } else if (reads) {
      readers.push_back(i);
    }
  }
  return readers;
}

}  // namespace ns
