// Cuts output channels off a layer that stands alone.
#ifndef NS_REPRO_SHRINK_CHANNELS_H_
#define NS_REPRO_SHRINK_CHANNELS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ns/repro/layer_modules.h"
#include "ns/repro/shrink_data.h"

namespace ns {

// The output channels of a layer.
struct LayerChannels {
  // The dimension of the output that has them: 1 of convolutions, -1, the last,
  // of linear layers.
  int64_t dim = 1;
  int64_t count = 1;
};

// Returns the output channels of `layers`, whose quantized side is a linear
// layer or a convolution that LibTorch has packed; absent for other layers, for
// transposed convolutions, and for grouped ones that are not depthwise.
std::optional<LayerChannels> ChannelsOf(const LayerModules& layers);

// A layer and what to give to it.
struct FedLayer {
  LayerModules layers;
  std::vector<at::Tensor> inputs;
};

// Returns a copy of `layers` that has only the output channels `range` of
// those that ChannelsOf found: of the weights, the biases and the norms. A
// depthwise convolution gets only those channels of `inputs`, too, which are
// plain tensors (TakePlainInputs), one for each argument. Both run. Error: a
// refusal (ir/base/refusal.h) where what the copy gives for `inputs` is not
// what `layers` give in these channels, as behind an op that mixes channels.
absl::StatusOr<FedLayer> KeepChannels(LayerModules& layers,
                                      absl::Span<const at::Tensor> inputs,
                                      const LayerChannels& channels,
                                      IndexRange range);

}  // namespace ns

#endif  // NS_REPRO_SHRINK_CHANNELS_H_
