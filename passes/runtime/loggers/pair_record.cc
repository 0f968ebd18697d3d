#include "passes/runtime/loggers/pair_record.h"

#include <algorithm>

namespace ns {

void PairRecord::Merge(const PairRecord& other) {
  pooled.Merge(other.pooled);
  batches.insert(batches.end(), other.batches.begin(), other.batches.end());
  trips.resize(std::max(trips.size(), other.trips.size()));
  for (size_t i = 0; i < other.trips.size(); ++i) {
    trips[i].Merge(other.trips[i]);
  }
  if (shape.empty()) {
    shape = other.shape;
  }
  constant.Merge(other.constant);
  if (!exchanged) {
    exchanged = other.exchanged;
  }
  only_x += other.only_x;
  only_y += other.only_y;
}

}  // namespace ns
