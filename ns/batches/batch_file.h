// One file of sample inputs.
#ifndef NS_BATCHES_BATCH_FILE_H_
#define NS_BATCHES_BATCH_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batch.h"

namespace ns {

// The batches of a file, in memory or not. Errors name the file.
class BatchFile {
 public:
  virtual ~BatchFile() = default;

  virtual int64_t size() const = 0;
  // Batch `index`, from 0 to size() - 1.
  virtual absl::StatusOr<Batch> Read(int64_t index) const = 0;
  // The first `count` batches; storages that they share stay shared.
  virtual absl::StatusOr<std::vector<Batch>> ReadFirst(int64_t count) const = 0;
};

// Opens what LoadBatches reads, without the bytes of its tensors where
// torch.save wrote it. There is at least one batch.
absl::StatusOr<std::unique_ptr<const BatchFile>> OpenBatchFile(
    const std::string& path);

// Batches that are in memory.
std::unique_ptr<const BatchFile> MakeBatchFile(std::vector<Batch> batches);

}  // namespace ns

#endif  // NS_BATCHES_BATCH_FILE_H_
