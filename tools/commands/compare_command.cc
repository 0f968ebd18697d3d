#include <optional>

#include "absl/status/statusor.h"
#include "ns/compare/compare.h"
#include "tools/commands/commands.h"
#include "tools/commands/compare_shard.h"
#include "tools/commands/run_comparison.h"
#include "tools/flags/compare_flags.h"
#include "tools/flags/compare_spec.h"
#include "tools/flags/shard_flags.h"

namespace ns {
namespace {

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<CompareFlags> options = ParseCompareFlags(flags);
  if (!options.ok()) {
    return CommandOutcome::WrongUsage(options.status());
  }
  const absl::StatusOr<std::optional<ShardFlags>> shard =
      ParseShardFlags(flags);
  if (!shard.ok()) {
    return CommandOutcome::WrongUsage(shard.status());
  }
  if (*shard) {
    return CompareShard(flags, *options, **shard);
  }
  if (ComparesStateDicts(options->compare)) {
    if (absl::Status status = CheckFlagsOfStateDicts(flags); !status.ok()) {
      return CommandOutcome::WrongUsage(status);
    }
  }
  return RunComparison(*options);
}

}  // namespace

Command CompareCommand() { return {&CompareSpec(), Run}; }

}  // namespace ns
