#include "passes/runtime/loggers/channel_dim.h"

namespace ns {
namespace {

int64_t ByRank(int64_t dims) { return dims > 3 ? 1 : dims - 1; }

}  // namespace

int64_t ChannelDimIn(ChannelDim channels, int64_t dims) {
  switch (channels) {
    case ChannelDim::kNone:
      break;
    case ChannelDim::kSecond:
      return dims > 1 ? 1 : -1;
    case ChannelDim::kLast:
      return dims - 1;
    case ChannelDim::kByRank:
      return ByRank(dims);
    case ChannelDim::kSecondLast:
      return dims - 2;
    case ChannelDim::kThirdLast:
      return dims - 3;
    case ChannelDim::kFourthLast:
      return dims - 4;
    case ChannelDim::kNearConv1d:
      return dims == 2 ? 0 : dims == 3 ? 1 : ByRank(dims);
    case ChannelDim::kNearConv2d:
      return dims == 3 ? 0 : ByRank(dims);
    case ChannelDim::kNearConv3d:
      return dims == 4 ? 0 : ByRank(dims);
  }
  return -1;
}

}  // namespace ns
