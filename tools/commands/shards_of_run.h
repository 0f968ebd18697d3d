// The shard files of one run: what is there, and what is missing.
#ifndef TOOLS_COMMANDS_SHARDS_OF_RUN_H_
#define TOOLS_COMMANDS_SHARDS_OF_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ns/shards/shard_file.h"

namespace ns {

// A shard file, without its state.
struct ShardAt {
  std::string path;
  ShardHeader header;
};

// Errors: those of ReadShardFile.
absl::StatusOr<ShardAt> ReadShardHeader(const std::string& path);

// Sorts `shards` by their indices. Error: they are of different runs, or one is
// given twice.
absl::Status SortShardsOfOneRun(std::vector<ShardAt>& shards);

// The functions below take one or more shards of one run.

// Returns the indices of shards that are not there, or not complete.
std::vector<int64_t> MissingShards(const std::vector<ShardAt>& shards);

// Returns the numbers of the batches that are done, ascending.
std::vector<int64_t> BatchesOf(const std::vector<ShardAt>& shards);

// Returns the command that runs shard `index` of the run that `like` is of. The
// path of its file is that of `like`, with another number.
std::string CommandOf(int64_t index, const ShardAt& like);

}  // namespace ns

#endif  // TOOLS_COMMANDS_SHARDS_OF_RUN_H_
