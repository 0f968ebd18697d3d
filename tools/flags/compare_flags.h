// Reads the flags of `ns compare`.
#ifndef TOOLS_FLAGS_COMPARE_FLAGS_H_
#define TOOLS_FLAGS_COMPARE_FLAGS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/compare/compare.h"
#include "tools/command_line/command_line.h"
#include "tools/command_line/report_output.h"
#include "tools/flags/limit_flags.h"
#include "tools/flags/run_flags.h"

namespace ns {

struct CompareFlags {
  // All but what the command calls back.
  CompareFilesOptions compare;
  LimitFlags limits;
  ReportOutputs outputs;
  RunFlags run;
};

// Error: flags that are wrong usage, alone or together.
absl::StatusOr<CompareFlags> ParseCompareFlags(const Flags& flags);

// Returns an error if one of the flags is given that say how graphs are matched
// or run, such as --matching or --inputs: state dicts have none.
absl::Status CheckFlagsOfStateDicts(const Flags& flags);

}  // namespace ns

#endif  // TOOLS_FLAGS_COMPARE_FLAGS_H_
