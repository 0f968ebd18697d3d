// The shape of one quantized layer to time, without its data.
#ifndef TOOLS_BENCH_KERNELS_LAYER_H_
#define TOOLS_BENCH_KERNELS_LAYER_H_

#include <cstdint>
#include <string>

#include "passes/kernels/conv_shape.h"

namespace ns::bench {

// The benchmark has a target speed for each kind (tools/bench/README.md).
// Convolutions in one group with at most 8 output channels are kFewOutputs.
enum class LayerKind { kLinear, kConv, kFewOutputs, kDepthwise, kGrouped };

// "linear", "conv", "few_outputs", "depthwise", "grouped".
const char* KindName(LayerKind kind);

struct Layer {
  std::string name;
  // A linear layer is a 1x1 convolution of `batch` pixels: in_channels is K,
  // out_channels N.
  bool linear = false;
  // Rows of a linear layer, images of a convolution.
  int64_t batch = 1;
  kernels::ConvShape shape;
  // Depth, height and width of one image; 1, 1, 1 of a linear layer.
  kernels::Dims input = {1, 1, 1};
  bool relu = true;
  // How many of this layer a model has.
  int64_t count = 1;
};

LayerKind KindOf(const Layer& layer);

// Outputs of one channel: M of the matrix product.
int64_t OutputRows(const Layer& layer);

// Products of one output: K.
int64_t ProductsOf(const Layer& layer);

// Bytes of the input, of the output and of the weights, unpacked.
int64_t InputBytes(const Layer& layer);
int64_t OutputBytes(const Layer& layer);
int64_t WeightBytes(const Layer& layer);

// Multiplications and additions of one such layer, 2 M N K.
double Operations(const Layer& layer);

// A linear layer of `m` rows, `n` outputs and `k` inputs, named "1,768,768".
Layer Linear(int64_t m, int64_t n, int64_t k);

// A convolution of `kernel` x `kernel` over `size` x `size` images, with
// padding kernel / 2, named "3x3 s2 64-128 @56". With groups it is "3x3 g32
// 128-128 @56", or, with one for each channel, "depthwise 3x3 144 @56".
Layer Conv2d(int64_t batch, int64_t kernel, int64_t stride, int64_t in,
             int64_t out, int64_t size, int64_t groups = 1);

// A 1d convolution of signals of `length`, named "602 p383 1-1 @219 x51": with
// a padding of 383, and a batch of 51. Where these are 0 and 1, they are left
// out of the name.
Layer Conv1d(int64_t batch, int64_t kernel, int64_t padding, int64_t in,
             int64_t out, int64_t length);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_LAYER_H_
