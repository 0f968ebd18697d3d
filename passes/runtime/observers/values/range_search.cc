#include "passes/runtime/observers/values/range_search.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "passes/runtime/observers/values/squared_error.h"

namespace ns {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// How many ranges LeastDivergenceRange tries, at most.
constexpr int64_t kDivergenceCandidates = 256;

// The counts of a histogram without its zeros, in bins of width 1; edge i is
// where bin i begins.
class Bins {
 public:
  explicit Bins(const ExactHistogram& histogram)
      : first_(histogram.first_bin()),
        end_(histogram.last_bin() + 1),
        counts_(histogram.Counts()) {
    counts_[static_cast<size_t>(-first_)] -= histogram.zeros();
  }

  // The edges of the first bin and behind the last; first() <= 0 <= end().
  int64_t first() const { return first_; }
  int64_t end() const { return end_; }
  double CountOf(int64_t bin) const {
    return static_cast<double>(counts_[static_cast<size_t>(bin - first_)]);
  }

 private:
  int64_t first_;
  int64_t end_;
  std::vector<int64_t> counts_;
};

// A figure for each edge of a histogram.
class EdgeFigures {
 public:
  explicit EdgeFigures(const Bins& bins)
      : first_(bins.first()),
        figures_(static_cast<size_t>(bins.end() - bins.first() + 1)) {}

  double& operator[](int64_t edge) {
    return figures_[static_cast<size_t>(edge - first_)];
  }
  double operator[](int64_t edge) const {
    return figures_[static_cast<size_t>(edge - first_)];
  }

 private:
  int64_t first_;
  std::vector<double> figures_;
};

struct Edges {
  int64_t low;
  int64_t high;
};

// How many values lie below each edge.
EdgeFigures CountsBelow(const Bins& bins) {
  EdgeFigures below(bins);
  for (int64_t bin = bins.first(); bin < bins.end(); ++bin) {
    below[bin + 1] = below[bin] + bins.CountOf(bin);
  }
  return below;
}

// The part of -half..half in which there are bins.
Edges SymmetricEdges(const Bins& bins, int64_t half) {
  return {std::max(-half, bins.first()), std::min(half, bins.end())};
}

// The values at `edges`; at the ends of the histogram, those that were seen.
Interval ValuesAt(const Edges& edges, const ExactHistogram& histogram) {
  const Interval& seen = histogram.range().finite;
  const double width = histogram.width();
  const auto low = static_cast<float>(static_cast<double>(edges.low) * width);
  const auto high = static_cast<float>(static_cast<double>(edges.high) * width);
  return {std::max(low, std::min(seen.min, 0.0F)),
          std::min(high, std::max(seen.max, 0.0F))};
}

// How much quantizing changes the distribution of values when `edges` is what
// remains of a range that has one level in each `bins_per_level` bins from edge
// `origin` on.
double Divergence(const Bins& bins, const EdgeFigures& below, Edges edges,
                  int64_t origin, double bins_per_level) {
  const double all = below[bins.end()];
  // Clipped values are at the ends.
  const auto clipped_count = [&](int64_t bin) {
    double count = bins.CountOf(bin);
    count += bin == edges.low ? below[edges.low] : 0;
    count += bin == edges.high - 1 ? all - below[edges.high] : 0;
    return count;
  };
  const auto level_of = [&](int64_t bin) {
    return std::floor(static_cast<double>(bin - origin) / bins_per_level);
  };
  double divergence = 0;
  for (int64_t bin = edges.low; bin < edges.high;) {
    int64_t end = bin;
    double count = 0;
    int used = 0;
    for (; end < edges.high && level_of(end) == level_of(bin); ++end) {
      count += bins.CountOf(end);
      used += bins.CountOf(end) > 0 ? 1 : 0;
    }
    for (; bin < end; ++bin) {
      const double p = clipped_count(bin) / all;
      if (p == 0) {
        continue;
      }
      if (bins.CountOf(bin) == 0) {
        return kInfinity;
      }
      divergence += p * std::log(p / (count / used / all));
    }
  }
  return divergence;
}

// Ranges that are shorter by powers of two, and their errors.
class ShrunkRanges {
 public:
  ShrunkRanges(const ExactHistogram& histogram, const QuantGrid& grid,
               double clipping_weight)
      : error_(histogram),
        grid_(grid),
        clipping_weight_(clipping_weight),
        whole_{std::min(histogram.range().finite.min, 0.0F),
               std::max(histogram.range().finite.max, 0.0F)} {}

  Interval Best() {
    const bool moves_low = !IsSymmetric() && whole_.min < 0;
    const bool moves_high = IsSymmetric() || whole_.max > 0;
    const double low_end = moves_low ? kMostHalvings : 0;
    const double high_end = moves_high ? kMostHalvings : 0;
    for (double low = 0; low <= low_end; low += kFirstStep) {
      for (double high = 0; high <= high_end; high += kFirstStep) {
        Try({low, high});
      }
    }
    for (double step = kFirstStep / 2; step >= kLastStep; step /= 2) {
      const Halvings around = best_;
      for (const double low : {-step, 0.0, step}) {
        for (const double high : {-step, 0.0, step}) {
          Try({std::max(0.0, around.low + low),
               std::max(0.0, around.high + high)});
        }
      }
    }
    return RangeOf(best_);
  }

 private:
  // How often each end is halved.
  struct Halvings {
    double low = 0;
    double high = 0;
  };

  static constexpr double kMostHalvings = 7;
  static constexpr double kFirstStep = 0.25;
  static constexpr double kLastStep = 1.0 / 64;

  // Both ends are one then, of which `high` is told.
  bool IsSymmetric() const { return grid_.symmetric_zero_point.has_value(); }

  Interval RangeOf(const Halvings& halvings) const {
    if (IsSymmetric()) {
      const float half =
          std::max(-whole_.min, whole_.max) * ShareOf(halvings.high);
      return {std::max(whole_.min, -half), std::min(whole_.max, half)};
    }
    return {whole_.min * ShareOf(halvings.low),
            whole_.max * ShareOf(halvings.high)};
  }

  static float ShareOf(double halvings) {
    return static_cast<float>(std::exp2(-halvings));
  }

  void Try(const Halvings& halvings) {
    const Interval range = RangeOf(halvings);
    const QParams qparams = ChooseQParams(range.min, range.max, grid_);
    const double error =
        error_.Of(qparams, grid_) +
        (clipping_weight_ - 1) * error_.OfClipped(qparams, grid_);
    if (error < least_) {
      least_ = error;
      best_ = halvings;
    }
  }

  SquaredError error_;
  QuantGrid grid_;
  double clipping_weight_;
  Interval whole_;
  Halvings best_;
  double least_ = kInfinity;
};

}  // namespace

Interval LeastSquaredErrorRange(const ExactHistogram& histogram,
                                const QuantGrid& grid, double clipping_weight) {
  return ShrunkRanges(histogram, grid, clipping_weight).Best();
}

Interval PercentileRange(const ExactHistogram& histogram, double percentile) {
  int64_t all = 0;
  for (const int64_t count : histogram.Counts()) {
    all += count;
  }
  const double allowed = (1 - percentile) * static_cast<double>(all);
  Edges edges = {histogram.first_bin(), histogram.last_bin() + 1};
  int64_t below = 0;
  while (edges.low < 0) {
    below += histogram.CountOf(edges.low);
    if (static_cast<double>(below) > allowed) {
      break;
    }
    ++edges.low;
  }
  int64_t above = 0;
  while (edges.high > 0) {
    above += histogram.CountOf(edges.high - 1);
    if (static_cast<double>(above) > allowed) {
      break;
    }
    --edges.high;
  }
  return ValuesAt(edges, histogram);
}

Interval LeastDivergenceRange(const ExactHistogram& histogram,
                              const QuantGrid& grid) {
  const Bins bins(histogram);
  const EdgeFigures below = CountsBelow(bins);
  const auto levels = static_cast<double>(grid.quant_max - grid.quant_min + 1);
  Edges best = {bins.first(), bins.end()};
  double least = kInfinity;
  const int64_t longest = std::max(-bins.first(), bins.end());
  const int64_t stride = 1 + (longest - 1) / kDivergenceCandidates;
  for (int64_t half = longest; half > 0; half -= stride) {
    const Edges edges = SymmetricEdges(bins, half);
    const int64_t origin = grid.symmetric_zero_point ? -half : edges.low;
    const int64_t length =
        grid.symmetric_zero_point ? 2 * half : edges.high - edges.low;
    const double divergence =
        Divergence(bins, below, edges, origin,
                   std::max(1.0, static_cast<double>(length) / levels));
    if (divergence < least) {
      least = divergence;
      best = edges;
    }
  }
  return ValuesAt(best, histogram);
}

}  // namespace ns
