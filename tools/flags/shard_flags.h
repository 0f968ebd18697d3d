// Reads the flags that split a run over several processes.
#ifndef TOOLS_FLAGS_SHARD_FLAGS_H_
#define TOOLS_FLAGS_SHARD_FLAGS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/shards/shard.h"
#include "tools/command_line/command_line.h"

namespace ns {

inline constexpr FlagSpec kShardFlag = {
    "shard", "I/N",
    "run only shard I of N: the batches whose number modulo N is I; auto takes "
    "both from the environment of Slurm, torchrun or MPI, auto/N takes I from "
    "that of Kubernetes; ns merge puts shards together"};
inline constexpr FlagSpec kSaveShardFlag = {
    "save-shard", "PATH", "with --shard: where to save the shard"};
inline constexpr FlagSpec kResumeFlag = {
    "resume", "",
    "with --shard: save progress beside the shard, and continue from there "
    "after the process was killed"};
inline constexpr FlagSpec kSaveEveryFlag = {
    "save-every", "SECONDS",
    "with --resume: how often to save progress; default 30"};

// Returns the value of an environment variable; null where it is not set.
using Environment = std::function<const char*(const char* name)>;

// Reads "3/8", "auto" or "auto/8". Error: anything else, a shard that is not
// among the N, and for "auto" an environment in which no engine says which
// process this is; the message names the variables.
absl::StatusOr<Shard> ParseShard(absl::string_view text,
                                 const Environment& environment);

struct ShardFlags {
  Shard shard;
  std::string path;
  // Whether progress is saved at all.
  bool resume = false;
  double save_every_seconds = 30;
};

// Reads the flags above, --shard with the environment of this process; absent
// without --shard. Error: one of them without those that it needs.
absl::StatusOr<std::optional<ShardFlags>> ParseShardFlags(const Flags& flags);

// Returns an error for flags of `ns compare` whose figures cannot be merged
// exactly, with the reason.
absl::Status CheckCanBeSharded(const Flags& flags);

// The flags of `ns compare` that say what is reported, not what is computed:
// they belong to `ns merge`. `ns compare --shard` ignores them.
bool IsLeftToMerge(absl::string_view flag);

// Returns those of `flags` that say what a shard computes, as arguments, in the
// order of `spec`; and the names of those that are left to `ns merge`.
std::vector<std::string> ArgumentsOfRun(const Flags& flags,
                                        const CommandSpec& spec);
std::vector<std::string> LeftToMerge(const Flags& flags,
                                     const CommandSpec& spec);

}  // namespace ns

#endif  // TOOLS_FLAGS_SHARD_FLAGS_H_
