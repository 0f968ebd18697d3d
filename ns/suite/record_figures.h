// What a comparison reports of the values that a comparer has seen.
#ifndef NS_SUITE_RECORD_FIGURES_H_
#define NS_SUITE_RECORD_FIGURES_H_

#include <cstdint>

#include "ns/suite/comparison_result.h"
#include "passes/runtime/loggers/pair_record.h"

namespace ns {

// All figures of `record`, but those of the user's metrics: x is the float
// value and y the quantized one. Of the channels, the `worst_channels` with the
// lowest SQNR are named.
ActivationComparison FiguresOfRecord(const PairRecord& record,
                                     int64_t worst_channels);

}  // namespace ns

#endif  // NS_SUITE_RECORD_FIGURES_H_
