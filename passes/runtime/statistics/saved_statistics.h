// Statistics as saved files hold them, those of earlier versions too.
#ifndef PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_
#define PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_

#include <cstddef>
#include <vector>

#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// A list is a number that tells its form, and then PairStatistics::ToNumbers of
// each part. Lists of versions that had no sum_e lack the first number, and the
// last one of each part: it is loaded as nan.
std::vector<double> NumbersOf(const std::vector<PairStatistics>& parts);

// The parts of a list of either form. Throws c10::Error for what is none.
std::vector<PairStatistics> StatisticsFromNumbers(
    const std::vector<double>& numbers);

// How many numbers a list of one part has that `numbers` begins with.
size_t SavedSize(const std::vector<double>& numbers);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_
