// The layers that bench_kernels times.
#ifndef TOOLS_BENCH_KERNELS_LAYER_LISTS_H_
#define TOOLS_BENCH_KERNELS_LAYER_LISTS_H_

#include <cstdint>
#include <vector>

#include "tools/bench/kernels/layer.h"

namespace ns::bench {

// The shapes other libraries have been measured at, those of one kind.
std::vector<Layer> ShapesOf(LayerKind kind);

// All layers with weights of torchvision's resnet50 and mobilenet_v2 for images
// of 224 x 224, equal ones once, with their count.
std::vector<Layer> ResNet50(int64_t batch);
std::vector<Layer> MobileNetV2(int64_t batch);

// The linear layers of BERT-base's encoder: 12 layers, hidden size 768,
// feed-forward 3072, 128 tokens for each sequence.
std::vector<Layer> BertBase(int64_t batch);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_LAYER_LISTS_H_
