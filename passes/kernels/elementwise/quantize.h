// Quantizes floats.
#ifndef PASSES_KERNELS_ELEMENTWISE_QUANTIZE_H_
#define PASSES_KERNELS_ELEMENTWISE_QUANTIZE_H_

#include <cstdint>

#include "passes/kernels/channel_qparams.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// The quantized values of `count` values, for a scale that is positive and
// whose inverse is finite, as fbgemm's AVX2 kernel gives them:
//
//   x    = min(value * (1 / scale), 2147483520), in float
//   q    = clamp(round(x) + zero_point, least q, greatest q)
//
// round is to nearest, ties to even; the zero point is added after it, in s32,
// which wraps. The least and the greatest q are 0 and 255, or -128 and 127.
// What this means beyond the range of s32 (large is x = 2147483520, -large is x
// <= -2^31):
//
//   value             u8                      s8
//   nan, inf, large   255, but 0 where the    127
//                     zero point is 128 or
//                     more: the sum wraps
//   -inf, -large      0                       -128, but 127 where the zero
//                                             point is negative
//
// A LibTorch without fbgemm gives the least quantized value to nan, inf and
// -inf.
void Quantize(const float* values, int64_t count, QParams qparams,
              uint8_t* quantized, Parallel parallel);
void Quantize(const float* values, int64_t count, QParams qparams,
              int8_t* quantized, Parallel parallel);

// The quantized values that oneDNN gives a float input. The product and the sum
// are floats, each rounded, and nan gives 255:
//
//   q = clamp(round(value * inverse_scale + zero_point), 0, 255)
void QuantizeShifted(const float* values, int64_t count, float inverse_scale,
                     float zero_point, uint8_t* quantized, Parallel parallel);

// The same formula as Quantize with the qparams of each value's channel, for
// values laid out as [rows][channels][inner] (channel_qparams.h).
void QuantizePerChannel(const float* values, ChannelShape shape,
                        ChannelQParams qparams, uint8_t* quantized,
                        Parallel parallel);
void QuantizePerChannel(const float* values, ChannelShape shape,
                        ChannelQParams qparams, int8_t* quantized,
                        Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_QUANTIZE_H_
