// Says what to do about the cause of an error.
#ifndef NS_FINDINGS_CURE_H_
#define NS_FINDINGS_CURE_H_

#include <optional>
#include <string>

#include "ns/findings/verdict.h"
#include "ns/result/comparison_result.h"

namespace ns {

struct Cure {
  // What helps, in a sentence without a full stop.
  std::string sentence;
  // The command that does it, for a shell, with the paths of the comparison;
  // empty where no command does.
  std::string command;
};

// Returns what helps against the cause of `verdict`, which is that of `result`.
// Absent where there is nothing to mend: without a layer to blame, and without
// a cause of the whole model.
std::optional<Cure> CureOf(const ComparisonResult& result,
                           const Verdict& verdict);

// Returns what helps where the outputs lose at least 3 dB on the second data
// set and layers have other ranges there (DataShifts): to calibrate on both
// data sets, or on the second alone where the ranges are too large for it.
// Absent elsewhere.
std::optional<Cure> CureOfDataShift(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_FINDINGS_CURE_H_
