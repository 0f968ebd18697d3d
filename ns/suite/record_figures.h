// Computes the figures that a comparison reports from what a comparer has kept.
#ifndef NS_SUITE_RECORD_FIGURES_H_
#define NS_SUITE_RECORD_FIGURES_H_

#include <cstdint>

#include "ns/suite/comparison_result.h"
#include "passes/runtime/loggers/pair_record.h"

namespace ns {

// Returns all figures of `record`, but those of the user's metrics; x is the
// float value and y the quantized one. The `worst_channels` channels with the
// lowest SQNR are named.
ActivationComparison FiguresOfRecord(const PairRecord& record,
                                     int64_t worst_channels);

}  // namespace ns

#endif  // NS_SUITE_RECORD_FIGURES_H_
