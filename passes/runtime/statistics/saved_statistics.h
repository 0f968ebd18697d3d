// Saves and loads statistics, also those that earlier versions saved.
#ifndef PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_
#define PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_

#include <cstddef>
#include <vector>

#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// Returns `parts` as a list to save: a number that tells the form of the list,
// and then PairStatistics::ToNumbers of each part. Earlier versions, which had
// no sum_e, saved another form: without the first number, and without sum_e,
// the last one of each part.
std::vector<double> NumbersOf(const std::vector<PairStatistics>& parts);

// Returns the parts of a list of either form; a sum_e that it lacks is nan.
// Throws c10::Error for an invalid list.
std::vector<PairStatistics> StatisticsFromNumbers(
    const std::vector<double>& numbers);

// Returns the length of the list of one part, of either form, that `numbers`
// starts with. Other numbers may follow; the caller checks that there are so
// many.
size_t SavedSize(const std::vector<double>& numbers);

}  // namespace ns

#endif  // PASSES_RUNTIME_STATISTICS_SAVED_STATISTICS_H_
