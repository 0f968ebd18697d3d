// Scales and zero points as tensors, in the shapes and dtypes of PyTorch's
// observers.
#ifndef PASSES_RUNTIME_OBSERVERS_TENSOR_QPARAMS_H_
#define PASSES_RUNTIME_OBSERVERS_TENSOR_QPARAMS_H_

#include <ATen/core/Tensor.h>

#include "absl/types/span.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {

// Both are vectors, of one element for a whole tensor, or of one for each
// channel. The scale is of float32; the zero point of int32 for affine schemes,
// int64 for symmetric ones and float32 for float qparams.
struct TensorQParams {
  at::Tensor scale;
  at::Tensor zero_point;
};

// Those of a value that was never seen: scale 1 and, of int64, zero point 0.
TensorQParams UnobservedQParams();

// Returns the parameters for the ranges of all channels, or for the one range
// of a tensor, each times config.headroom: UnobservedQParams when all are
// empty; otherwise an empty one has scale 1 and zero point 0. Throws c10::Error
// for a range with nan, or whose min is above its max.
TensorQParams QParamsOf(absl::Span<const Interval> ranges,
                        const ObserverConfig& config);

// Returns `x`, of floating point, quantized to the integers of `config` with
// `qparams` and dequantized:
//
//   (clamp(nearbyint(x / scale) + zero_point, quant_min, quant_max)
//    - zero_point) * scale
//
// for the tensor, or for each of its channels along config.ch_axis; a zero
// point of float32 is added before rounding. Gradients pass unchanged where x
// is not clipped. Throws c10::Error for a tensor that has not as many channels
// as there are scales.
at::Tensor FakeQuantized(const at::Tensor& x, const TensorQParams& qparams,
                         const ObserverConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_TENSOR_QPARAMS_H_
