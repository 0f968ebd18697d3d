// Finds layers that lose many of their channels, because a few large ones set
// the quantized range.
#ifndef NS_FINDINGS_LOST_CHANNELS_H_
#define NS_FINDINGS_LOST_CHANNELS_H_

#include <cstddef>
#include <optional>

#include "ns/result/comparison_result.h"

namespace ns {

// Whether a few channels of a tensor are so much larger than the others that
// these are lost: the median of the channels' SQNR is more than 15 dB below
// `sqnr_db`, that of all channels together, and more than a quarter of them,
// but not all, have less than 3 dB.
bool LosesChannels(double sqnr_db, const ChannelSummary& channels);

// The same for the local error of `layer`.
bool LosesChannels(const LayerComparison& layer);

// Channels that are lost, and missed.
struct LostChannels {
  size_t layer = 0;
  // What is left, in dB: to the layer that reads them, the SQNR that its float
  // form has with them (LayerComparison::inherited), or in an output of the
  // model the median of the channels.
  double sqnr_db = 0;
};

// Returns the layer that LosesChannels and leaves least; absent where none
// does. Small channels are not missed where what reads them needs the large
// ones alone, as with the closed gates of a sigmoid. They count where the
// inherited SQNR of a reader (ReadersOf), or of what reads it where it has no
// weight, is 10 dB below the accumulated ones of all that flows in, or where
// nothing but the outputs of the model reads them. A layer with an unpaired
// input, or whose error is TakenBack (ns/findings/error_breakdown.h), is none.
std::optional<LostChannels> WorstLostChannels(const ComparisonResult& result);

// Likewise of layers with dead channels (ChannelSummary::dead): more than 5 %
// of all, in their local error. In an output of the model they leave 0 dB.
std::optional<LostChannels> WorstDeadChannels(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_LOST_CHANNELS_H_
