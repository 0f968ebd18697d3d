// Reads and makes quantized tensors as kernels see them: dense arrays of
// quantized values.
#ifndef PASSES_RUNTIME_FBGEMM_OPS_QUANTIZED_DATA_H_
#define PASSES_RUNTIME_FBGEMM_OPS_QUANTIZED_DATA_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "passes/kernels/qparams.h"

namespace ns {

// Throws c10::Error "<op>: ..." unless `x` is a quint8 tensor with one scale,
// and a zero point that is a quantized value.
void CheckQuantized(const at::Tensor& x, const char* op);

// The qparams, and the data, of a tensor that CheckQuantized lets pass.
kernels::QParams QParamsOf(const at::Tensor& x);
const uint8_t* QuantizedDataOf(const at::Tensor& x);
uint8_t* MutableQuantizedDataOf(const at::Tensor& x);

// `x`, [batch, channels, ...] with up to three dimensions more, as a tensor
// whose memory is a dense array [batch, ..., channels]: `x` itself where it
// lies so. Use its memory only: with four or five dimensions it has the sizes
// of `x`, and otherwise those of the array.
at::Tensor ChannelsLast(const at::Tensor& x);

// Quantizes `value`, as at::quantize_val does.
uint8_t QuantizedValueOf(float value, kernels::QParams qparams);

// `x`, or a copy of it, dense in its suggested memory format: most ops of
// LibTorch give outputs in that of their first input, so that what takes views
// of them works.
at::Tensor Dense(const at::Tensor& x);

// `x`, or a copy of it, with the layout of `like`, which is as Dense gives it.
at::Tensor LaidOutAs(const at::Tensor& x, const at::Tensor& like);

// A new quint8 tensor with the sizes and the layout of `like`, which is as
// Dense gives it.
at::Tensor EmptyQuantizedLike(const at::Tensor& like, double scale,
                              int64_t zero_point);

// A new quint8 tensor of the dense layout `format` gives.
at::Tensor EmptyQuantized(
    at::IntArrayRef sizes, double scale, int64_t zero_point,
    at::MemoryFormat format = at::MemoryFormat::Contiguous);

// Make a new tensor of sizes [batch, channels, ...], dense as [batch, ...,
// channels]: a quint8 one, and one that is not quantized.
at::Tensor EmptyChannelsLast(at::IntArrayRef sizes, double scale,
                             int64_t zero_point);
at::Tensor EmptyChannelsLast(at::IntArrayRef sizes, at::ScalarType dtype);

// Throws unless the zero point is a quantized value, and the scale is positive
// and finite.
void CheckQParams(double scale, int64_t zero_point, const char* op);

}  // namespace ns

#endif  // PASSES_RUNTIME_FBGEMM_OPS_QUANTIZED_DATA_H_
