#include "ns/repro/shrink_data.h"

#include <cmath>

namespace ns {
namespace {

// Keeps the candidate that has the most error of those that show it.
class MostTelling {
 public:
  explicit MostTelling(const PairStatistics& whole) : whole_(whole) {}

  // Whether `part` is better than all before.
  bool Offer(const PairStatistics& part) {
    const bool is_better =
        ShowsErrorOf(whole_, part) && (!found_ || part.sum_e2 > most_);
    if (is_better) {
      found_ = true;
      most_ = part.sum_e2;
    }
    return is_better;
  }

 private:
  const PairStatistics& whole_;
  bool found_ = false;
  double most_ = 0;
};

}  // namespace

bool ShowsErrorOf(const PairStatistics& whole, const PairStatistics& part) {
  const double of_whole = whole.SqnrDb();
  const double of_part = part.SqnrDb();
  return std::isnan(of_whole) ? part.count > 0 && std::isnan(of_part)
                              : of_part <= of_whole + kMostGainDb;
}

size_t MostTellingPart(absl::Span<const PairStatistics> parts,
                       const PairStatistics& whole) {
  size_t most = 0;
  MostTelling telling(whole);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (telling.Offer(parts[i])) {
      most = i;
    }
  }
  return most;
}

IndexRange ShrinkRange(
    int64_t count, const PairStatistics& whole,
    absl::FunctionRef<std::optional<PairStatistics>(IndexRange)> measure) {
  IndexRange kept{0, count};
  while (kept.size() > 1) {
    const int64_t middle = kept.begin + kept.size() / 2;
    std::optional<IndexRange> best;
    MostTelling telling(whole);
    for (const IndexRange& half :
         {IndexRange{kept.begin, middle}, IndexRange{middle, kept.end}}) {
      const std::optional<PairStatistics> statistics = measure(half);
      if (statistics && telling.Offer(*statistics)) {
        best = half;
      }
    }
    if (!best) {
      break;
    }
    kept = *best;
  }
  return kept;
}

}  // namespace ns
