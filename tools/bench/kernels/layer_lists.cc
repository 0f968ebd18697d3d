#include "tools/bench/kernels/layer_lists.h"

#include <utility>

namespace ns::bench {
namespace {

// Layers in the order of a model; a name that is there already is counted.
class List {
 public:
  void Add(Layer layer, bool relu, int64_t count = 1) {
    layer.relu = relu;
    for (Layer& other : layers_) {
      if (other.name == layer.name && other.relu == relu) {
        other.count += count;
        return;
      }
    }
    layer.count = count;
    layers_.push_back(std::move(layer));
  }

  std::vector<Layer> Take() { return std::move(layers_); }

 private:
  std::vector<Layer> layers_;
};

}  // namespace

std::vector<Layer> ShapesOf(LayerKind kind) {
  switch (kind) {
    case LayerKind::kLinear:
      return {
          Linear(1, 768, 768),    Linear(8, 768, 768),
          Linear(64, 768, 768),   Linear(256, 768, 768),
          Linear(1, 3072, 768),   Linear(64, 3072, 768),
          Linear(1, 4096, 4096),  Linear(8, 4096, 4096),
          Linear(64, 4096, 4096), Linear(256, 4096, 4096),
      };
    case LayerKind::kConv:
      return {
          Conv2d(1, 7, 2, 3, 64, 224),    Conv2d(1, 3, 1, 64, 64, 56),
          Conv2d(1, 3, 1, 128, 128, 28),  Conv2d(1, 3, 1, 256, 256, 14),
          Conv2d(1, 3, 1, 512, 512, 7),   Conv2d(1, 1, 1, 64, 256, 56),
          Conv2d(1, 1, 1, 1024, 256, 14),
      };
    case LayerKind::kFewOutputs:
      return {
          Conv1d(1, 602, 0, 1, 1, 16000), Conv1d(51, 602, 383, 1, 1, 219),
          Conv2d(1, 3, 1, 16, 1, 112),    Conv2d(1, 3, 1, 64, 4, 56),
          Conv2d(1, 7, 1, 64, 3, 56),
      };
    case LayerKind::kDepthwise:
      return {
          Conv2d(1, 3, 1, 144, 144, 56, 144),
          Conv2d(1, 3, 2, 192, 192, 56, 192),
          Conv2d(1, 3, 1, 576, 576, 14, 576),
          Conv2d(1, 3, 1, 960, 960, 7, 960),
      };
    case LayerKind::kGrouped:
      return {
          Conv2d(1, 3, 1, 128, 128, 56, 32),
          Conv2d(1, 3, 1, 256, 256, 28, 32),
      };
  }
  return {};
}

std::vector<Layer> ResNet50(int64_t batch) {
  List list;
  list.Add(Conv2d(batch, 7, 2, 3, 64, 224), true);
  int64_t in = 64;
  int64_t size = 56;
  const int64_t blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t width = 64 << stage;
    for (int64_t block = 0; block < blocks[stage]; ++block) {
      // torchvision strides the 3x3 convolution.
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      list.Add(Conv2d(batch, 1, 1, in, width, size), true);
      list.Add(Conv2d(batch, 3, stride, width, width, size), true);
      list.Add(Conv2d(batch, 1, 1, width, 4 * width, size / stride), false);
      if (block == 0) {
        list.Add(Conv2d(batch, 1, stride, in, 4 * width, size), false);
      }
      in = 4 * width;
      size /= stride;
    }
  }
  list.Add(Linear(batch, 1000, in), false);
  return list.Take();
}

std::vector<Layer> MobileNetV2(int64_t batch) {
  struct Stage {
    int64_t expansion;
    int64_t channels;
    int64_t blocks;
    int64_t stride;
  };
  constexpr Stage kStages[] = {
      {1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2},  {6, 64, 4, 2},
      {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
  };
  List list;
  list.Add(Conv2d(batch, 3, 2, 3, 32, 224), true);
  int64_t in = 32;
  int64_t size = 112;
  for (const Stage& stage : kStages) {
    for (int64_t block = 0; block < stage.blocks; ++block) {
      const int64_t stride = block == 0 ? stage.stride : 1;
      const int64_t hidden = in * stage.expansion;
      if (stage.expansion != 1) {
        list.Add(Conv2d(batch, 1, 1, in, hidden, size), true);
      }
      list.Add(Conv2d(batch, 3, stride, hidden, hidden, size, hidden), true);
      size /= stride;
      list.Add(Conv2d(batch, 1, 1, hidden, stage.channels, size), false);
      in = stage.channels;
    }
  }
  list.Add(Conv2d(batch, 1, 1, in, 1280, size), true);
  list.Add(Linear(batch, 1000, 1280), false);
  return list.Take();
}

std::vector<Layer> BertBase(int64_t batch) {
  constexpr int64_t kLayers = 12;
  constexpr int64_t kHidden = 768;
  constexpr int64_t kFeedForward = 3072;
  const int64_t tokens = 128 * batch;
  List list;
  // Of queries, keys, values and the attention's output.
  list.Add(Linear(tokens, kHidden, kHidden), false, 4 * kLayers);
  list.Add(Linear(tokens, kFeedForward, kHidden), false, kLayers);
  list.Add(Linear(tokens, kHidden, kFeedForward), false, kLayers);
  return list.Take();
}

}  // namespace ns::bench
