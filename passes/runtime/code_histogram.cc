#include "passes/runtime/code_histogram.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ns {

void CodeHistogram::Merge(const CodeHistogram& other) {
  for (size_t code = 0; code < counts.size(); ++code) {
    counts[code] += other.counts[code];
  }
}

int64_t CodeHistogram::Total() const {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

int64_t CodeHistogram::Unused() const {
  return std::count(counts.begin(), counts.end(), 0);
}

}  // namespace ns
