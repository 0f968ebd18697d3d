#include "ns/accuracy/paired_test.h"

#include <algorithm>
#include <cmath>

namespace ns {
namespace {

// The probability of `least` or more of `trials`, each with `probability`.
double TailOf(int64_t trials, int64_t least, double probability) {
  if (least <= 0) {
    return 1;
  }
  const auto n = static_cast<double>(trials);
  double tail = 0;
  for (int64_t k = least; k <= trials; ++k) {
    const auto count = static_cast<double>(k);
    tail +=
        std::exp(std::lgamma(n + 1) - std::lgamma(count + 1) -
                 std::lgamma(n - count + 1) + count * std::log(probability) +
                 (n - count) * std::log1p(-probability));
  }
  return std::min(tail, 1.0);
}

}  // namespace

double PValueOfDrop(const PairedCounts& counts, double limit) {
  const int64_t differing = counts.lost + counts.won;
  const double allowed = limit / 100 * static_cast<double>(counts.samples);
  if (static_cast<double>(differing) <= allowed || differing == 0) {
    return 1;
  }
  return TailOf(differing, counts.lost,
                (1 + allowed / static_cast<double>(differing)) / 2);
}

}  // namespace ns
