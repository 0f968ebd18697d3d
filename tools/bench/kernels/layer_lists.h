// The layers that bench_kernels times.
#ifndef TOOLS_BENCH_KERNELS_LAYER_LISTS_H_
#define TOOLS_BENCH_KERNELS_LAYER_LISTS_H_

#include <cstdint>
#include <vector>

#include "tools/bench/kernels/layer.h"

namespace ns::bench {

// Returns layers of this kind to time by themselves, not as parts of a model,
// at shapes that benchmarks of other libraries use.
std::vector<Layer> ShapesOf(LayerKind kind);

// Return all convolutions and linear layers of torchvision's resnet50 and
// mobilenet_v2, for `batch` images of 224 x 224. Equal layers are there once,
// with their count.
std::vector<Layer> ResNet50(int64_t batch);
std::vector<Layer> MobileNetV2(int64_t batch);

// Returns the linear layers of BERT-base's encoder, with their counts, for
// `batch` sequences of 128 tokens: 12 layers, hidden size 768, feed-forward
// 3072.
std::vector<Layer> BertBase(int64_t batch);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_LAYER_LISTS_H_
