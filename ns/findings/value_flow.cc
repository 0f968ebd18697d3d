#include "ns/findings/value_flow.h"

#include <cmath>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

bool HandsOn(const LayerComparison& layer) {
  return layer.weights.empty() && layer.shadow &&
         layer.shadow->error.sqnr_db == INFINITY;
}

}  // namespace

void VisitReaders(const ComparisonResult& result, size_t index,
                  absl::FunctionRef<bool(size_t reader)> goes_on) {
  std::vector<bool> has_value(result.layers.size());
  has_value[index] = true;
  // Layers are in order of execution.
  for (size_t i = index + 1; i < result.layers.size(); ++i) {
    const bool reads = absl::c_any_of(
        result.layers[i].producers,
        [&](size_t producer) { return producer < i && has_value[producer]; });
    has_value[i] = reads && goes_on(i);
  }
}

std::vector<size_t> ReadersOf(const ComparisonResult& result, size_t index) {
  std::vector<size_t> readers;
  VisitReaders(result, index, [&](size_t reader) {
    const bool hands_on = HandsOn(result.layers[reader]);
    if (!hands_on) {
      readers.push_back(reader);
    }
    return hands_on;
  });
  return readers;
}

std::vector<bool> FlowsInto(
    const ComparisonResult& result, size_t index,
    absl::FunctionRef<bool(size_t reader, size_t producer)> goes_on) {
  std::vector<bool> reached(result.layers.size());
  std::vector<size_t> open = {index};
  reached[index] = true;
  while (!open.empty()) {
    const size_t reader = open.back();
    open.pop_back();
    for (const size_t producer : result.layers[reader].producers) {
      if (producer < reached.size() && !reached[producer] &&
          goes_on(reader, producer)) {
        reached[producer] = true;
        open.push_back(producer);
      }
    }
  }
  return reached;
}

}  // namespace ns
