// Dequantizes: turns quantized values into floats.
#ifndef PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_H_
#define PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_H_

#include <cstdint>

#include "passes/kernels/channel_qparams.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

// values[i] = scale * (float)(quantized[i] - zero_point), as fbgemm and
// LibTorch do: the difference is exact, and the product is rounded once.
void Dequantize(const uint8_t* quantized, int64_t count, QParams qparams,
                float* values, Parallel parallel);
void Dequantize(const int8_t* quantized, int64_t count, QParams qparams,
                float* values, Parallel parallel);

// The same, with the qparams of each quantized value's channel.
void DequantizePerChannel(const uint8_t* quantized, ChannelShape shape,
                          ChannelQParams qparams, float* values,
                          Parallel parallel);
void DequantizePerChannel(const int8_t* quantized, ChannelShape shape,
                          ChannelQParams qparams, float* values,
                          Parallel parallel);

}  // namespace ns::kernels

#endif  // PASSES_KERNELS_ELEMENTWISE_DEQUANTIZE_H_
