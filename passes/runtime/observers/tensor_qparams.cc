#include "passes/runtime/observers/tensor_qparams.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "passes/runtime/observers/values/qparams.h"

namespace ns {
namespace {

// Returns `range` with both ends `headroom` times as large, and finite; an
// empty one as it is.
Interval Widened(const Interval& range, double headroom) {
  const auto widened = [headroom](float end) {
    constexpr double kMost = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(end * headroom, -kMost, kMost));
  };
  return headroom == 1 || range.IsEmpty()
             ? range
             : Interval{widened(range.min), widened(range.max)};
}

TensorQParams FloatQParamsOf(absl::Span<const Interval> ranges,
                             const QuantGrid& grid, double headroom) {
  const auto size = static_cast<int64_t>(ranges.size());
  TensorQParams qparams = {at::ones({size}, at::kFloat),
                           at::zeros({size}, at::kFloat)};
  for (int64_t i = 0; i < size; ++i) {
    const Interval range = Widened(ranges[static_cast<size_t>(i)], headroom);
    if (!range.IsEmpty()) {
      const FloatQParams chosen =
          ChooseFloatQParams(range.min, range.max, grid);
      qparams.scale.data_ptr<float>()[i] = chosen.scale;
      qparams.zero_point.data_ptr<float>()[i] = chosen.zero_point;
    }
  }
  return qparams;
}

}  // namespace

at::Tensor FakeQuantized(const at::Tensor& x, const TensorQParams& qparams,
                         const ObserverConfig& config) {
  const QuantGrid grid = GridOf(config);
  if (!IsPerChannel(config.qscheme)) {
    return at::fake_quantize_per_tensor_affine(
        x, qparams.scale, qparams.zero_point, grid.quant_min, grid.quant_max);
  }
  const int64_t axis = config.ch_axis + (config.ch_axis < 0 ? x.dim() : 0);
  TORCH_CHECK(
      axis >= 0 && axis < x.dim() && x.size(axis) == qparams.scale.numel(),
      "fake quantization along axis ", config.ch_axis, " with ",
      qparams.scale.numel(), " scales of a tensor of shape ", x.sizes(),
      "; observe such a tensor first");
  const at::Tensor zero_point = qparams.zero_point.scalar_type() == at::kLong
                                    ? qparams.zero_point.to(at::kInt)
                                    : qparams.zero_point;
  return at::fake_quantize_per_channel_affine(
      x, qparams.scale, zero_point, axis, grid.quant_min, grid.quant_max);
}

TensorQParams UnobservedQParams() {
  return {at::ones({1}, at::kFloat), at::zeros({1}, at::kLong)};
}

TensorQParams QParamsOf(absl::Span<const Interval> ranges,
                        const ObserverConfig& config) {
  if (std::all_of(ranges.begin(), ranges.end(),
                  [](const Interval& range) { return range.IsEmpty(); })) {
    return UnobservedQParams();
  }
  for (const Interval& range : ranges) {
    TORCH_CHECK(range.IsEmpty() || range.min <= range.max, "observer '",
                ObserverKindName(config.kind), "': no parameters for values ",
                range.min, "..", range.max,
                "; without compat, nan and inf do not count");
  }
  const QuantGrid grid = GridOf(config);
  if (config.qscheme == at::kPerChannelAffineFloatQParams) {
    return FloatQParamsOf(ranges, grid, config.headroom);
  }
  const auto size = static_cast<int64_t>(ranges.size());
  TensorQParams qparams = {at::ones({size}, at::kFloat),
                           at::zeros({size}, at::kLong)};
  for (int64_t i = 0; i < size; ++i) {
    const Interval range =
        Widened(ranges[static_cast<size_t>(i)], config.headroom);
    if (!range.IsEmpty()) {
      const QParams chosen = ChooseQParams(range.min, range.max, grid);
      qparams.scale.data_ptr<float>()[i] = static_cast<float>(chosen.scale);
      qparams.zero_point.data_ptr<int64_t>()[i] = chosen.zero_point;
    }
  }
  if (!grid.symmetric_zero_point) {
    qparams.zero_point = qparams.zero_point.to(at::kInt);
  }
  return qparams;
}

}  // namespace ns
