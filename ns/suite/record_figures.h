// Computes the figures that a comparison reports from what a comparer has kept.
#ifndef NS_SUITE_RECORD_FIGURES_H_
#define NS_SUITE_RECORD_FIGURES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ns/result/comparison_result.h"
#include "passes/runtime/loggers/pair_record.h"
#include "passes/runtime/statistics/tensor_statistics.h"

namespace ns {

// Returns how the channels of values fare, of which `elements` were compared in
// all; absent where none has an SQNR.
std::optional<ChannelSummary> SummaryOfChannels(
    const std::vector<ChannelSums>& channels, int64_t elements);

// Returns all figures of `record` except those of the user's metrics, which
// stay empty; x is the float value and y the quantized one. Errors of a record
// that saw no values are nan, and what has no figure then is empty. At most
// `worst_channels` channels are named, those with the lowest SQNR, the lowest
// first; the SQNR of all channels is listed unless that is 0.
ActivationComparison FiguresOfRecord(const PairRecord& record,
                                     int64_t worst_channels);

}  // namespace ns

#endif  // NS_SUITE_RECORD_FIGURES_H_
