#include "passes/kernels/elementwise/quantize.h"

#include "passes/kernels/channel_pattern.h"
#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

template <typename Quantized>
using QuantizeFunction = void (*)(const float*, int64_t, QParams, Quantized*);
template <typename Quantized>
using QuantizeEachFunction = void (*)(const float*, int64_t, const float*,
                                      const int32_t*, Quantized*);

template <typename Quantized>
void QuantizePieces(QuantizeFunction<Quantized> quantize, const float* values,
                    int64_t count, QParams qparams, Quantized* quantized,
                    Parallel parallel) {
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    quantize(values + begin, size, qparams, quantized + begin);
  });
}

template <typename Quantized>
void QuantizeChannels(QuantizeFunction<Quantized> quantize,
                      QuantizeEachFunction<Quantized> quantize_each,
                      const float* values, ChannelShape shape,
                      ChannelQParams qparams, Quantized* quantized,
                      Parallel parallel) {
  if (shape.inner >= kShortestRun) {
    ForRuns(shape, qparams, parallel, [&](int64_t begin, QParams channel) {
      quantize(values + begin, shape.inner, channel, quantized + begin);
    });
    return;
  }
  ChannelPattern pattern = MakeChannelPattern(shape, qparams);
  for (float& scale : pattern.scales) {
    scale = 1.0f / scale;
  }
  const int64_t count =
      shape.rows * static_cast<int64_t>(qparams.scales.size()) * shape.inner;
  ForPatterns(count, pattern.size(), parallel,
              [&](int64_t begin, int64_t size) {
                quantize_each(values + begin, size, pattern.scales.data(),
                              pattern.zero_points.data(), quantized + begin);
              });
}

}  // namespace

void Quantize(const float* values, int64_t count, QParams qparams,
              uint8_t* quantized, Parallel parallel) {
  QuantizePieces(ChosenElementwiseKernels().quantize_u8, values, count, qparams,
                 quantized, parallel);
}

void Quantize(const float* values, int64_t count, QParams qparams,
              int8_t* quantized, Parallel parallel) {
  QuantizePieces(ChosenElementwiseKernels().quantize_s8, values, count, qparams,
                 quantized, parallel);
}

void QuantizeShifted(const float* values, int64_t count, float inverse_scale,
                     float zero_point, uint8_t* quantized, Parallel parallel) {
  const auto quantize = ChosenElementwiseKernels().quantize_shifted;
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    quantize(values + begin, size, inverse_scale, zero_point,
             quantized + begin);
  });
}

void QuantizePerChannel(const float* values, ChannelShape shape,
                        ChannelQParams qparams, uint8_t* quantized,
                        Parallel parallel) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  QuantizeChannels(kernels.quantize_u8, kernels.quantize_each_u8, values, shape,
                   qparams, quantized, parallel);
}

void QuantizePerChannel(const float* values, ChannelShape shape,
                        ChannelQParams qparams, int8_t* quantized,
                        Parallel parallel) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  QuantizeChannels(kernels.quantize_s8, kernels.quantize_each_s8, values, shape,
                   qparams, quantized, parallel);
}

}  // namespace ns::kernels
