#include "passes/kernels/elementwise/dequantize.h"

#include "passes/kernels/elementwise/channel_pattern.h"
#include "passes/kernels/elementwise/for_pieces.h"
#include "passes/kernels/elementwise/kernels.h"

namespace ns::kernels {
namespace {

template <typename Code>
using DequantizeFunction = void (*)(const Code*, int64_t, QParams, float*);
template <typename Code>
using DequantizeEachFunction = void (*)(const Code*, int64_t, const float*,
                                        const int32_t*, float*);

template <typename Code>
void DequantizePieces(DequantizeFunction<Code> dequantize, const Code* codes,
                      int64_t count, QParams qparams, float* values,
                      Parallel parallel) {
  ForPieces(count, parallel, [&](int64_t begin, int64_t size) {
    dequantize(codes + begin, size, qparams, values + begin);
  });
}

template <typename Code>
void DequantizeChannels(DequantizeFunction<Code> dequantize,
                        DequantizeEachFunction<Code> dequantize_each,
                        const Code* codes, ChannelShape shape,
                        ChannelQParams qparams, float* values,
                        Parallel parallel) {
  if (shape.inner >= kShortestRun) {
    ForRuns(shape, qparams, parallel, [&](int64_t begin, QParams channel) {
      dequantize(codes + begin, shape.inner, channel, values + begin);
    });
    return;
  }
  const ChannelPattern pattern = MakeChannelPattern(shape, qparams);
  const int64_t count =
      shape.rows * static_cast<int64_t>(qparams.scales.size()) * shape.inner;
  ForPatterns(count, pattern.size(), parallel,
              [&](int64_t begin, int64_t size) {
                dequantize_each(codes + begin, size, pattern.scales.data(),
                                pattern.zero_points.data(), values + begin);
              });
}

}  // namespace

void Dequantize(const uint8_t* codes, int64_t count, QParams qparams,
                float* values, Parallel parallel) {
  DequantizePieces(ChosenElementwiseKernels().dequantize_u8, codes, count,
                   qparams, values, parallel);
}

void Dequantize(const int8_t* codes, int64_t count, QParams qparams,
                float* values, Parallel parallel) {
  DequantizePieces(ChosenElementwiseKernels().dequantize_s8, codes, count,
                   qparams, values, parallel);
}

void DequantizePerChannel(const uint8_t* codes, ChannelShape shape,
                          ChannelQParams qparams, float* values,
                          Parallel parallel) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  DequantizeChannels(kernels.dequantize_u8, kernels.dequantize_each_u8, codes,
                     shape, qparams, values, parallel);
}

void DequantizePerChannel(const int8_t* codes, ChannelShape shape,
                          ChannelQParams qparams, float* values,
                          Parallel parallel) {
  const ElementwiseKernels& kernels = ChosenElementwiseKernels();
  DequantizeChannels(kernels.dequantize_s8, kernels.dequantize_each_s8, codes,
                     shape, qparams, values, parallel);
}

}  // namespace ns::kernels
