// Scales and zero points as tensors, in the shapes and dtypes of PyTorch's
// observers.
#ifndef PASSES_RUNTIME_OBSERVERS_TENSOR_QPARAMS_H_
#define PASSES_RUNTIME_OBSERVERS_TENSOR_QPARAMS_H_

#include <ATen/core/Tensor.h>

#include "absl/types/span.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/value_range.h"

namespace ns {

// A vector of one element each, or of one for each channel. The scale is of
// float32; the zero point of int32 for affine schemes, int64 for symmetric ones
// and float32 for float qparams.
struct TensorQParams {
  at::Tensor scale;
  at::Tensor zero_point;
};

// Those of a value that was never seen: scale 1 and, of int64, zero point 0.
TensorQParams UnobservedQParams();

// The parameters for the ranges of all channels, or the one of a tensor. When
// none of them has values, UnobservedQParams; one of several without values has
// scale 1. Throws c10::Error for a range that is none, such as of nan.
TensorQParams QParamsOf(absl::Span<const Interval> ranges,
                        const ObserverConfig& config);

// `x`, of floating point, quantized to the integers of `config` with `qparams`
// and dequantized:
//
//   (clamp(nearbyint(x / scale) + zero_point, quant_min, quant_max)
//    - zero_point) * scale
//
// for the tensor, or for each of its channels along ch_axis. Gradients pass
// unchanged where x is not clipped. Throws for a tensor that has not as many
// channels as there are scales.
at::Tensor FakeQuantized(const at::Tensor& x, const TensorQParams& qparams,
                         const ObserverConfig& config);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_TENSOR_QPARAMS_H_
