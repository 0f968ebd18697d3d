#include "passes/runtime/statistics/exchanged_axes.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "passes/runtime/is_dense.h"

namespace ns {
namespace {

constexpr int64_t kMostAxes = 6;
constexpr int64_t kSampleSize = 4096;
constexpr double kLeastDb = 10;
constexpr double kLeastGainDb = 20;

bool HoldsNumbers(const at::Tensor& tensor) {
  return tensor.defined() && IsDense(tensor) &&
         (tensor.is_floating_point() || tensor.is_quantized());
}

at::Tensor AsFloats(const at::Tensor& tensor) {
  return (tensor.is_quantized() ? tensor.dequantize() : tensor).to(at::kFloat);
}

// Returns where the elements of a sample of `x` are, as indices along its axes.
// An odd step reaches all places along axes whose size is a power of two.
std::vector<std::vector<int64_t>> SampledPlaces(const at::Tensor& x) {
  std::vector<std::vector<int64_t>> places;
  const int64_t count = x.numel();
  int64_t step = std::max<int64_t>(count / kSampleSize, 1);
  step += step > 1 && step % 2 == 0 ? 1 : 0;
  for (int64_t at = 0; at < count; at += step) {
    std::vector<int64_t> place(x.dim());
    int64_t rest = at;
    for (int64_t axis = x.dim(); axis-- > 0;) {
      place[axis] = rest % x.size(axis);
      rest /= x.size(axis);
    }
    places.push_back(std::move(place));
  }
  return places;
}

float ValueAt(const at::Tensor& tensor, const std::vector<int64_t>& place) {
  int64_t offset = 0;
  for (size_t axis = 0; axis < place.size(); ++axis) {
    offset += place[axis] * tensor.stride(static_cast<int64_t>(axis));
  }
  return tensor.data_ptr<float>()[offset];
}

// Returns the SQNR of `y` against `x`, both of one shape, at `places`.
double SampledSqnr(const at::Tensor& x, const at::Tensor& y,
                   const std::vector<std::vector<int64_t>>& places) {
  double signal = 0;
  double noise = 0;
  for (const std::vector<int64_t>& place : places) {
    const double value = ValueAt(x, place);
    const double error = value - ValueAt(y, place);
    signal += value * value;
    noise += error * error;
  }
  return noise == 0 ? std::numeric_limits<double>::infinity()
                    : 10 * std::log10(signal / noise);
}

}  // namespace

std::optional<ExchangedAxes> FindExchangedAxes(const at::Tensor& x,
                                               const at::Tensor& y) {
  if (!HoldsNumbers(x) || !HoldsNumbers(y) || x.dim() != y.dim() ||
      x.dim() < 2 || x.dim() > kMostAxes || x.numel() != y.numel() ||
      x.numel() == 0) {
    return std::nullopt;
  }
  const at::Tensor floats = AsFloats(x);
  const at::Tensor others = AsFloats(y);
  const std::vector<std::vector<int64_t>> places = SampledPlaces(floats);
  const double straight = floats.sizes() == others.sizes()
                              ? SampledSqnr(floats, others, places)
                              : -std::numeric_limits<double>::infinity();
  if (straight == std::numeric_limits<double>::infinity()) {
    return std::nullopt;
  }
  std::optional<ExchangedAxes> best;
  for (int64_t first = 0; first < x.dim(); ++first) {
    for (int64_t second = first + 1; second < x.dim(); ++second) {
      const at::Tensor exchanged = others.transpose(first, second);
      if (exchanged.sizes() != floats.sizes()) {
        continue;
      }
      const double db = SampledSqnr(floats, exchanged, places);
      if (db >= kLeastDb && db >= straight + kLeastGainDb &&
          (!best || db > best->sqnr_db)) {
        best = ExchangedAxes{first, second, db};
      }
    }
  }
  return best;
}

}  // namespace ns
