#include "ns/accuracy/top1_interval.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns {
namespace {

// Of the normal distribution, for 95 %.
constexpr double kQuantile = 1.959963984540054;

}  // namespace

Top1Interval Top1DifferenceInterval(const PairedCounts& counts) {
  if (counts.samples == 0) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {kNan, kNan};
  }
  const double samples = static_cast<double>(counts.samples) + 2;
  const auto gain = static_cast<double>(counts.won - counts.lost);
  const double differing = static_cast<double>(counts.won + counts.lost) + 1;
  const double half_width =
      kQuantile * std::sqrt(differing - gain * gain / samples) / samples;
  return {std::max(gain / samples - half_width, -1.0),
          std::min(gain / samples + half_width, 1.0)};
}

}  // namespace ns
