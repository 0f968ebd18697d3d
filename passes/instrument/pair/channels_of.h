// Tells which dimension of what an op gives is that of its channels.
#ifndef PASSES_INSTRUMENT_PAIR_CHANNELS_OF_H_
#define PASSES_INSTRUMENT_PAIR_CHANNELS_OF_H_

#include "passes/runtime/loggers/channel_dim.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the dimension that the table of ops has for `base`. Where that leaves
// it to the rank, [C, H, W] looks like [N, T, C]: it is the former where the
// value flows into a convolution or pool, or comes out of one, with nothing but
// elementwise ops in between.
//
//   %c = aten::conv2d(%x, ...)
//   %q = aten::quantize_per_tensor(%c, ...)    kNearConv2d
ChannelDim ChannelsOf(const torch::jit::Node& base);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_CHANNELS_OF_H_
