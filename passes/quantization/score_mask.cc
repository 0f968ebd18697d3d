#include "passes/quantization/score_mask.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/runtime/observers/exact_histogram.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/value_range.h"

namespace ns {
namespace {

// What is so far below all others is masked.
constexpr double kLeastGap = 8;

// How many values are in each of some bins of one width.
struct Bins {
  std::vector<double> counts;
  // The lower end of the first bin.
  double least = 0;
  double width = 0;
};

double Number(const ObserverState& state, const char* name) {
  return state.at(name).item<double>();
}

// Of the kinds whose bins are between the least and the largest value.
Bins BinsOfReference(const ObserverState& state) {
  const at::Tensor counts = state.at("histogram").to(at::kDouble).contiguous();
  const double* data = counts.data_ptr<double>();
  const auto size = static_cast<size_t>(counts.numel());
  const double least = Number(state, "min_val");
  return {{data, data + size},
          least,
          (Number(state, "max_val") - least) / static_cast<double>(size)};
}

// Of the kinds with an ExactHistogram.
Bins BinsOfExact(const ObserverState& state) {
  const at::Tensor counts = state.at("counts").to(at::kLong).contiguous();
  const int64_t* data = counts.data_ptr<int64_t>();
  ValueRange range;
  range.finite = {static_cast<float>(Number(state, "min_val")),
                  static_cast<float>(Number(state, "max_val"))};
  ExactHistogram histogram;
  if (!histogram.Restore(range, state.at("zeros").item<int64_t>(),
                         {data, data + counts.numel()})) {
    return {};
  }
  return {{data, data + counts.numel()},
          static_cast<double>(histogram.first_bin()) * histogram.width(),
          histogram.width()};
}

Bins BinsOf(const Observer& observer) {
  const ObserverState state = observer.State();
  if (state.count("histogram") != 0) {
    return BinsOfReference(state);
  }
  return state.count("counts") != 0 ? BinsOfExact(state) : Bins();
}

}  // namespace

MaskedScores MaskedScoresOf(const Observer& observer) {
  const Bins bins = BinsOf(observer);
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
