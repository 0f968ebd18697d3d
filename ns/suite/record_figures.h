// Computes the figures that a comparison reports from what a comparer has kept.
#ifndef NS_SUITE_RECORD_FIGURES_H_
#define NS_SUITE_RECORD_FIGURES_H_

#include <cstdint>

#include "ns/suite/comparison_result.h"
#include "passes/runtime/loggers/pair_record.h"

namespace ns {

// Returns all figures of `record` except those of the user's metrics, which
// stay empty; x is the float value and y the quantized one. Figures of a record
// that saw no values are nan. `worst_channels` is how many channels are named
// at most, those with the lowest SQNR, the lowest first.
ActivationComparison FiguresOfRecord(const PairRecord& record,
                                     int64_t worst_channels);

}  // namespace ns

#endif  // NS_SUITE_RECORD_FIGURES_H_
