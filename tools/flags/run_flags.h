// Reads the flags of commands that run models on batches.
#ifndef TOOLS_FLAGS_RUN_FLAGS_H_
#define TOOLS_FLAGS_RUN_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batch_reader.h"
#include "tools/command_line/command_line.h"

namespace ns {

struct RunFlags {
  std::vector<std::string> input_paths;
  std::optional<int64_t> max_batches;
  std::optional<int64_t> threads;
};

// Reads --inputs, --max-batches and --threads, which may all be absent. Error:
// an empty path, or a number that is none or out of range.
absl::StatusOr<RunFlags> ParseRunFlags(const Flags& flags);

// Sets the number of threads within one op: that of the flag, or else as many
// as the environment variable OMP_NUM_THREADS or AvailableProcessors says.
// Several are watched from then on (BusyWatch).
void UseThreads(const RunFlags& flags);

// Opens the batches of all files in order: the first --max-batches, or all.
absl::StatusOr<BatchReader> OpenBatches(const RunFlags& flags);

}  // namespace ns

#endif  // TOOLS_FLAGS_RUN_FLAGS_H_
