// Saves and loads statistics, also those that earlier versions saved.
#ifndef PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_
#define PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_

#include <cstddef>
#include <vector>

#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// Returns a list of a number that tells its form, and then
// PairStatistics::ToNumbers of each part. Lists of versions that had no sum_e
// lack the first number, and the last one of each part, which is loaded as nan.
std::vector<double> NumbersOf(const std::vector<PairStatistics>& parts);

// Returns the parts of a list of either form. Throws c10::Error for an invalid
// list.
std::vector<PairStatistics> StatisticsFromNumbers(
    const std::vector<double>& numbers);

// Returns how many numbers a list of one part takes at the start of `numbers`.
size_t SavedSize(const std::vector<double>& numbers);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_
