// Describes how a run over batches is split over several processes.
#ifndef NS_SHARDS_SHARD_H_
#define NS_SHARDS_SHARD_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// The batches of one process of `count`: those with number % count == index.
struct Shard {
  int64_t index = 0;
  int64_t count = 1;

  // How many of `batches` batches belong to it; 0 for a shard too many.
  int64_t Size(int64_t batches) const {
    return batches > index ? (batches - index - 1) / count + 1 : 0;
  }
  // The number of its batch at `position`.
  int64_t BatchAt(int64_t position) const { return index + position * count; }
};

// What a run does that runs one shard. Its state is everything that it has
// gathered from its batches, as bytes. States of different batches can be
// merged in any order.
struct ShardRun {
  Shard shard;
  // The state after the first `resumed` batches of the shard, of a process that
  // ended before its last one; such a run continues from there.
  int64_t resumed = 0;
  std::string resumed_state;
  // Called after each batch, and once for a shard without batches, with the
  // number of batches done; `state` makes the state. An error ends the run.
  std::function<absl::Status(int64_t done,
                             const std::function<std::string()>& state)>
      after_batch;
};

// What a run does that merges the states of shards instead of running batches.
struct MergeRun {
  // The numbers of the batches that the shards ran, ascending.
  std::vector<int64_t> batches;
  // Calls `merge` with the state of each shard.
  std::function<absl::Status(
      const std::function<absl::Status(absl::string_view state)>& merge)>
      for_each_state;
};

}  // namespace ns

#endif  // NS_SHARDS_SHARD_H_
