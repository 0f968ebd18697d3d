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
// `sqnr_db`, that of all channels together, and more than a quarter of them
// have less than 3 dB. On healthy models, the difference is 10 dB at most.
bool LosesChannels(double sqnr_db, const ChannelSummary& channels);

// The same for the local error of `layer`.
bool LosesChannels(const LayerComparison& layer);

// Returns the layer that LosesChannels with the lowest median; absent where
// none does. A layer with an unpaired input, or whose error is TakenBack
// (ns/findings/error_breakdown.h), is none.
std::optional<size_t> WorstLostChannels(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_LOST_CHANNELS_H_
