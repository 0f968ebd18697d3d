// Runs a comparison of two files, and writes its reports.
#ifndef TOOLS_COMMANDS_RUN_COMPARISON_H_
#define TOOLS_COMMANDS_RUN_COMPARISON_H_

#include <optional>
#include <string>

#include "ns/compare/compare.h"
#include "tools/command_line/progress_bar.h"
#include "tools/commands/commands.h"
#include "tools/flags/compare_flags.h"

namespace ns {

// Returns a StartProgress that draws the bar of `compare`. The bar is erased
// with the last copy of what is returned.
StartProgress BarOf(bool quiet);

// Compares, holds the result against the limits, and writes it. `partial` is
// ComparisonResult::partial.
CommandOutcome RunComparison(
    const CompareFlags& flags,
    const std::optional<std::string>& partial = std::nullopt);

}  // namespace ns

#endif  // TOOLS_COMMANDS_RUN_COMPARISON_H_
