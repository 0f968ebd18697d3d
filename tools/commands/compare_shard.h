// Runs `ns compare --shard`, one process of several.
#ifndef TOOLS_COMMANDS_COMPARE_SHARD_H_
#define TOOLS_COMMANDS_COMPARE_SHARD_H_

#include <string>

#include "absl/status/statusor.h"
#include "ns/shards/shard_file.h"
#include "tools/command_line/command_line.h"
#include "tools/commands/commands.h"
#include "tools/flags/compare_flags.h"
#include "tools/flags/shard_flags.h"

namespace ns {

// Compares the batches of one shard and saves what it gathered.
CommandOutcome CompareShard(const Flags& flags, const CompareFlags& options,
                            const ShardFlags& shard);

// Returns the header of a shard of the comparison that `flags` ask for, on this
// machine. `options` are those flags, parsed. Its shard, its number of batches
// and its engine are not set. Error: a file that cannot be read.
absl::StatusOr<ShardHeader> HeaderOfRun(const Flags& flags,
                                        const CompareFlags& options);

}  // namespace ns

#endif  // TOOLS_COMMANDS_COMPARE_SHARD_H_
