// Reads the flags of commands that run models on batches.
#ifndef TOOLS_FLAGS_RUN_FLAGS_H_
#define TOOLS_FLAGS_RUN_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ns/batches/batch_reader.h"
#include "tools/command_line/command_line.h"

namespace ns {

inline constexpr FlagSpec kInputsFlag = {
    "inputs", "PATHS",
    "batches: torch.save of a list of tensors, tuples or dicts, or .npy or "
    ".npz of one batch; several files with commas; random:1,3,224,224 for a "
    "first look without data (more arguments: "
    "random:1,3,8,8+1,128:int64:30522)",
    /*is_list=*/true};

struct RunFlags {
  std::vector<std::string> input_paths;
  std::optional<int64_t> max_batches;
  std::optional<int64_t> threads;
};

// Reads --inputs, --max-batches and --threads, which may all be absent. Error:
// an empty path, or a number that is none or out of range.
absl::StatusOr<RunFlags> ParseRunFlags(const Flags& flags);

// Reads the paths of a flag such as --inputs: a list with commas, or
// "random:1,3,224,224" (ns/batches/random_batches.h), whose commas part sizes.
// Error: an empty path.
absl::StatusOr<std::vector<std::string>> ParseInputPaths(
    const Flags& flags, absl::string_view name);

// Returns a warning if `paths` are random inputs, and else nothing.
std::vector<std::string> RandomInputsWarning(
    absl::Span<const std::string> paths);

// Sets the number of threads within one op: that of the flag, or else as many
// as the environment variable OMP_NUM_THREADS or AvailableProcessors says.
// Several are watched from then on (BusyWatch).
void UseThreads(const RunFlags& flags);

// Opens the batches of all files in order: the first --max-batches, or all.
absl::StatusOr<BatchReader> OpenBatches(const RunFlags& flags);

}  // namespace ns

#endif  // TOOLS_FLAGS_RUN_FLAGS_H_
