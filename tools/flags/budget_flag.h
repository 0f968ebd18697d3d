// Reads --budget=30dB, the least SQNR of the outputs of a mixed model.
#ifndef TOOLS_FLAGS_BUDGET_FLAG_H_
#define TOOLS_FLAGS_BUDGET_FLAG_H_

#include "absl/status/statusor.h"
#include "tools/command_line/command_line.h"

namespace ns {

// Returns --budget in dB, of "30dB" or "30". Error: wrong usage, where it is
// not a number above 0.
absl::StatusOr<double> ParseBudgetDb(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_FLAGS_BUDGET_FLAG_H_
