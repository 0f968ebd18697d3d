#include "passes/quantization/convert/score_mask.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <vector>

#include "passes/quantization/convert/seen_histogram.h"
#include "passes/runtime/observers/observer.h"

namespace ns {
namespace {

// What is so far below all others is masked.
constexpr double kLeastGap = 8;

}  // namespace

MaskedScores MaskedScoresOf(const Observer& observer) {
  const SeenHistogram bins = SeenHistogramOf(observer);
  const auto is_used = [](double count) { return count > 0; };
  const auto value = [&](std::vector<double>::const_iterator bin) {
    return bins.least +
           bins.width * static_cast<double>(bin - bins.counts.begin());
  };
  const auto end = bins.counts.end();
  MaskedScores masked;
  auto used = std::find_if(bins.counts.begin(), end, is_used);
  auto above = end;
  while (used != end) {
    const auto next = std::find_if(used + 1, end, is_used);
    const auto empty = static_cast<double>(next - used - 1);
    if (next != end && empty * bins.width >= kLeastGap) {
      above = next;
    }
    used = next;
  }
  if (above != end) {
    masked.found = true;
    masked.range_of_others =
        std::max(value(end), 0.0) - std::min(value(above), 0.0);
  }
  return masked;
}

bool IsInfiniteMask(const Observer& observer) {
  if (observer.InfCount() == 0) {
    return false;
  }
  const ObserverState state = observer.State();
  const auto is_zero = [&](const char* name) {
    const auto found = state.find(name);
    return found != state.end() && found->second.numel() == 1 &&
           found->second.item<double>() == 0;
  };
  return is_zero("min_val") && is_zero("max_val");
}

}  // namespace ns
