// Reads the batches of one file of sample inputs.
#ifndef NS_BATCHES_BATCH_FILE_H_
#define NS_BATCHES_BATCH_FILE_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/batches/batch.h"

namespace ns {

// The batches of a file, which are in memory or are read on demand. Reading on
// demand fails when the file is gone, was changed since it was opened, or is
// damaged; the error names it. Reading from memory does not fail.
class BatchFile {
 public:
  virtual ~BatchFile() = default;

  virtual int64_t size() const = 0;
  // Returns batch `index`, from 0 to size() - 1.
  virtual absl::StatusOr<Batch> Read(int64_t index) const = 0;
  // Returns the first `count` batches, from 0 to size() of them. Where a file
  // holds all of them, storages that they share stay shared.
  virtual absl::StatusOr<std::vector<Batch>> ReadFirst(int64_t count) const;
};

// Opens a file of one of the forms that LoadBatches (ns/batches/batches.h)
// reads; it has at least one batch. The tensors of a file that torch.save wrote
// are read on demand. Error, naming the file: those of LoadBatches, except for
// damage that only the bytes of the tensors show.
absl::StatusOr<std::unique_ptr<const BatchFile>> OpenBatchFile(
    const std::string& path);

// Reads the whole value of a file of the same forms, which need not be batches:
// what torch.save wrote, or the batches of a TorchScript module. Error, naming
// the file: it has another form or is damaged.
absl::StatusOr<c10::IValue> LoadSavedValue(const std::string& path);

// Wraps batches that are in memory.
std::unique_ptr<const BatchFile> MakeBatchFile(std::vector<Batch> batches);

// Wraps `size` batches of which `read` returns the one at `index`, each time it
// is asked for.
using ReadBatch = std::function<absl::StatusOr<Batch>(int64_t index)>;
std::unique_ptr<const BatchFile> MakeBatchFile(int64_t size, ReadBatch read);

}  // namespace ns

#endif  // NS_BATCHES_BATCH_FILE_H_
