#include "passes/kernels/elementwise/dequantize.h"

#include "passes/kernels/channel_pattern.h"
#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

template <typename Quantized>
using DequantizeFunction = void (*)(const Quantized*, int64_t, QParams, float*);
template <typename Quantized>
using DequantizeEachFunction = void (*)(const Quantized*, int64_t, const float*,
                                        const int32_t*, float*);

template <typename Quantized>
void DequantizePieces(DequantizeFunction<Quantized> dequantize,
                      const Quantized* quantized, int64_t count,
                      QParams qparams, float* values, Parallel parallel) {
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    dequantize(quantized + begin, size, qparams, values + begin);
  });
}

template <typename Quantized>
void DequantizeChannels(DequantizeFunction<Quantized> dequantize,
                        DequantizeEachFunction<Quantized> dequantize_each,
                        const Quantized* quantized, ChannelShape shape,
                        ChannelQParams qparams, float* values,
                        Parallel parallel) {
  if (shape.inner >= kShortestRun) {
    ForRuns(shape, qparams, parallel, [&](int64_t begin, QParams channel) {
      dequantize(quantized + begin, shape.inner, channel, values + begin);
    });
    return;
  }
  const ChannelPattern pattern = MakeChannelPattern(shape, qparams);
  const int64_t count =
      shape.rows * static_cast<int64_t>(qparams.scales.size()) * shape.inner;
  ForPatterns(count, pattern.size(), parallel,
              [&](int64_t begin, int64_t size) {
                dequantize_each(quantized + begin, size, pattern.scales.data(),
                                pattern.zero_points.data(), values + begin);
              });
}

}  // namespace

void Dequantize(const uint8_t* quantized, int64_t count, QParams qparams,
                float* values, Parallel parallel) {
  DequantizePieces(ChosenElementwiseKernels().dequantize_u8, quantized, count,
                   qparams, values, parallel);
}

void Dequantize(const int8_t* quantized, int64_t count, QParams qparams,
                float* values, Parallel parallel) {
  DequantizePieces(ChosenElementwiseKernels().dequantize_s8, quantized, count,
                   qparams, values, parallel);
}

void DequantizePerChannel(const uint8_t* quantized, ChannelShape shape,
                          ChannelQParams qparams, float* values,
                          Parallel parallel) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  DequantizeChannels(kernels.dequantize_u8, kernels.dequantize_each_u8,
                     quantized, shape, qparams, values, parallel);
}

void DequantizePerChannel(const int8_t* quantized, ChannelShape shape,
                          ChannelQParams qparams, float* values,
                          Parallel parallel) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  DequantizeChannels(kernels.dequantize_s8, kernels.dequantize_each_s8,
                     quantized, shape, qparams, values, parallel);
}

}  // namespace ns::kernels
