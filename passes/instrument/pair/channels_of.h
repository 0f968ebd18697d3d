// Tells which dimension of what an op gives is that of its channels.
#ifndef PASSES_INSTRUMENT_PAIR_CHANNELS_OF_H_
#define PASSES_INSTRUMENT_PAIR_CHANNELS_OF_H_

#include <cstdint>

#include "llvm/ADT/DenseSet.h"
#include "passes/runtime/loggers/channel_dim.h"

namespace torch::jit {
struct Node;
struct Value;
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

// ChannelsOf several ops of one graph, which must not change in the meantime.
// Values without convolutions and pools around them take time linear in the
// size of the graph, all of them together.
class ChannelFinder {
 public:
  ChannelDim Of(const torch::jit::Node& base);

  // The number of values that all searches have visited.
  int64_t visited() const { return visited_; }

 private:
  ChannelDim Near(const torch::jit::Value& value);

  // Values that have nothing around them.
  llvm::DenseSet<const torch::jit::Value*> nothing_near_;
  int64_t visited_ = 0;
};

}  // namespace ns

#endif  // PASSES_INSTRUMENT_PAIR_CHANNELS_OF_H_
