// Says which dimension of a value is that of its channels.
#ifndef PASSES_RUNTIME_LOGGERS_CHANNEL_DIM_H_
#define PASSES_RUNTIME_LOGGERS_CHANNEL_DIM_H_

#include <cstdint>

namespace ns {

enum class ChannelDim {
  kNone,        // no statistics by channel
  kSecond,      // [N, C, ...], as batch norms have it
  kLast,        // [..., C], as linear layers have it
  kByRank,      // the second of four or more dimensions, else the last
  kSecondLast,  // [..., C, L], as convolutions have it, batched or not
  kThirdLast,   // [..., C, H, W]
  kFourthLast,  // [..., C, D, H, W]
  kNearConv1d,  // C of [C, L] and [N, C, L]; of other ranks as kByRank
  kNearConv2d,  // likewise of [C, H, W] and [N, C, H, W]
  kNearConv3d,  // likewise of [C, D, H, W] and [N, C, D, H, W]
};

// Returns that dimension of a tensor with `dims` dimensions; below 0 where it
// has none.
int64_t ChannelDimIn(ChannelDim channels, int64_t dims);

}  // namespace ns

#endif  // PASSES_RUNTIME_LOGGERS_CHANNEL_DIM_H_
