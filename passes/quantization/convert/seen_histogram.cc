#include "passes/quantization/convert/seen_histogram.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>

#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/values/exact_histogram.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {
namespace {

double Number(const ObserverState& state, const char* name) {
  return state.at(name).item<double>();
}

// Of the kinds whose bins are between the least and the largest value.
SeenHistogram OfReference(const ObserverState& state) {
  const at::Tensor counts = state.at("histogram").to(at::kDouble).contiguous();
  const double* data = counts.data_ptr<double>();
  const auto size = static_cast<size_t>(counts.numel());
  const double least = Number(state, "min_val");
  return {{data, data + size},
          least,
          (Number(state, "max_val") - least) / static_cast<double>(size),
          /*zeros=*/0};
}

// Of the kinds with an ExactHistogram.
SeenHistogram OfExact(const ObserverState& state) {
  const at::Tensor counts = state.at("counts").to(at::kLong).contiguous();
  const int64_t* data = counts.data_ptr<int64_t>();
  const auto zeros = state.at("zeros").item<int64_t>();
  ValueRange range;
  range.finite = {static_cast<float>(Number(state, "min_val")),
                  static_cast<float>(Number(state, "max_val"))};
  ExactHistogram histogram;
  if (!histogram.Restore(range, zeros, {data, data + counts.numel()})) {
    return {};
  }
  return {{data, data + counts.numel()},
          static_cast<double>(histogram.first_bin()) * histogram.width(),
          histogram.width(),
          static_cast<double>(zeros)};
}

}  // namespace

SeenHistogram SeenHistogramOf(const Observer& observer) {
  const ObserverState state = observer.State();
  if (state.count("histogram") != 0) {
    return OfReference(state);
  }
  return state.count("counts") != 0 ? OfExact(state) : SeenHistogram();
}

}  // namespace ns
