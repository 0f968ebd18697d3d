// Finds a small part of some data in which an error is as plain as in the
// whole.
#ifndef NS_REPRO_SHRINK_DATA_H_
#define NS_REPRO_SHRINK_DATA_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// By how much the SQNR of a part may be better than that of the whole, in dB.
inline constexpr double kMostGainDb = 1;

// Whether a part of some data shows the error of the whole: its SQNR is at most
// kMostGainDb better, or nan where that of the whole is.
bool ShowsErrorOf(const PairStatistics& whole, const PairStatistics& part);

// Returns the part that shows the error of the whole and has the most of it,
// the largest sum of squared errors; the first among equals. `whole` are the
// merged `parts`. One part is always enough, as the lowest of several ratios is
// at most that of their sums:
//
//   min x_i / e_i <= (sum x_i) / (sum e_i)
//
// with x_i and e_i the sums of squares of a part's values and of its errors.
// Returns 0 where sums have overflowed, so that no part shows it.
size_t MostTellingPart(absl::Span<const PairStatistics> parts,
                       const PairStatistics& whole);

// The samples, or channels, begin, begin + 1, ... end - 1.
struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
};

// Halves the range of `count` samples or channels, at least 1, as long as a
// half shows the error of `whole`: the half that has the most of it is taken.
// `measure` returns the statistics of a range; nothing where it cannot be
// measured, and that half is not taken. Where the values of a sample do not
// depend on which others run, one sample is left, by the formula above. Calls
// `measure` at most 2 log2(count) + 2 times.
IndexRange ShrinkRange(
    int64_t count, const PairStatistics& whole,
    absl::FunctionRef<std::optional<PairStatistics>(IndexRange)> measure);

}  // namespace ns

#endif  // NS_REPRO_SHRINK_DATA_H_
