// Reads the batches of one file of sample inputs.
#ifndef NS_BATCHES_BATCH_FILE_H_
#define NS_BATCHES_BATCH_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batch.h"

namespace ns {

// The batches of a file, which are in memory or are read on demand. Reading
// them is an error, which names the file, where it is gone, was changed since
// it was opened, or is damaged. Batches in memory give no errors.
class BatchFile {
 public:
  virtual ~BatchFile() = default;

  virtual int64_t size() const = 0;
  // Returns batch `index`, from 0 to size() - 1.
  virtual absl::StatusOr<Batch> Read(int64_t index) const = 0;
  // Returns the first `count` batches, from 0 to size() of them; storages that
  // they share stay shared.
  virtual absl::StatusOr<std::vector<Batch>> ReadFirst(int64_t count) const = 0;
};

// Opens a file that LoadBatches could read. Where torch.save wrote it, the
// bytes of its tensors are not read yet. There is at least one batch. Error,
// naming the file: what LoadBatches refuses, except for what only those bytes
// tell.
absl::StatusOr<std::unique_ptr<const BatchFile>> OpenBatchFile(
    const std::string& path);

// Wraps batches that are in memory.
std::unique_ptr<const BatchFile> MakeBatchFile(std::vector<Batch> batches);

}  // namespace ns

#endif  // NS_BATCHES_BATCH_FILE_H_
