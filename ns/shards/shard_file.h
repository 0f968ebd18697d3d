// Reads and writes what one process of several has gathered.
#ifndef NS_SHARDS_SHARD_FILE_H_
#define NS_SHARDS_SHARD_FILE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/shards/shard.h"

namespace ns {

// A property of a run that all its shards share, such as the hash of a model.
struct RunProperty {
  std::string name;   // "the float model"
  std::string value;  // "net.pt (sha256 5e88...)"
};

// What a file says of its run and of its part of it.
struct ShardHeader {
  // The flags that say what is computed, as the command line had them.
  std::vector<std::string> arguments;
  std::vector<RunProperty> properties;
  // LibTorch's quantized engine; of a shard without batches, none ran.
  std::string engine;
  int64_t threads = 0;
  // Whether parts and histograms were computed for an HTML report, whatever the
  // arguments say.
  bool for_html = false;
  Shard shard;
  // The number of batches of the whole run.
  int64_t batches = 0;
  // How many batches of the shard are done.
  int64_t done = 0;

  bool IsComplete() const { return done == shard.Size(batches); }
};

struct ShardFile {
  ShardHeader header;
  std::string state;
};

// Returns the bytes of a file. The last 32 are the SHA-256 of all others.
std::string ShardFileBytes(const ShardHeader& header, absl::string_view state);

// Reads a file. Error, naming it: it cannot be read, is of another version, or
// its bytes are not those that were written; absl::NotFoundError if it is no
// shard file at all.
absl::StatusOr<ShardFile> ReadShardFile(const std::string& path);

// Returns an error unless both are shards of one run. It names the first
// property that differs and both files: `other` has the header of `other_path`.
absl::Status CheckSameRun(const ShardHeader& header, const std::string& path,
                          const ShardHeader& other,
                          const std::string& other_path);

}  // namespace ns

#endif  // NS_SHARDS_SHARD_FILE_H_
