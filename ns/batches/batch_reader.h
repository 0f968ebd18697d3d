// Reads sample inputs of a model from files, one batch at a time.
#ifndef NS_BATCHES_BATCH_READER_H_
#define NS_BATCHES_BATCH_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ns/batches/batch.h"

namespace ns {

class BatchFile;

// The batches of several files in order. Only those are in memory that the
// caller holds. See LoadBatches (ns/batches/batches.h) for what a file may
// hold.
//
// Of a list that torch.save wrote, only the structure is kept: Read() reads the
// bytes of one batch's tensors, and two batches that were read one by one share
// no storage. Where a batch has only a part of a storage, a view of a bigger
// tensor, the bytes from its first to its last element are read: a batch of
// list(x.split(8)) costs its own bytes, one of list(x.split(8, dim=1)) nearly
// all of x while it is held. TorchScript modules are not lazy: Open() loads
// them as a whole. Nor are compressed archives, which torch.save does not
// write: each storage is read as a whole.
//
// Files are open only while they are read, and must stay as they are.
class BatchReader {
 public:
  // Opens files and checks what can be checked without the tensors' bytes: what
  // LoadBatches refuses is an error here, except for records that cannot be
  // read and scales or zero points of quantized tensors that are not valid:
  // those are errors of Read(). There are at most `max_batches` batches (at
  // least 1 where given); files behind the one that reaches it are not opened.
  static absl::StatusOr<BatchReader> Open(
      absl::Span<const std::string> paths,
      std::optional<int64_t> max_batches = std::nullopt);

  // Wraps batches that the caller has. They are kept, and shared by what Read()
  // returns.
  static BatchReader FromBatches(std::vector<Batch> batches);

  // Wraps some samples of `batches`, which must outlive the reader: one batch
  // for each element of `selection`, with those samples (SelectedSamples).
  // Messages call it what they call the whole batch.
  static BatchReader OfSamples(const BatchReader& batches,
                               std::vector<BatchSamples> selection);

  // Wraps the batches of `batches` at `numbers`, likewise.
  static BatchReader OfBatches(const BatchReader& batches,
                               std::vector<int64_t> numbers);

  BatchReader(BatchReader&&) noexcept;
  BatchReader& operator=(BatchReader&&) noexcept;
  ~BatchReader();

  // Returns the number of batches.
  int64_t size() const;

  // Returns batch `index`, from 0 to size() - 1, in any order and any number of
  // times. Error: "inputs.pt: batch 3: " and what is wrong: the file is gone,
  // was changed since it was opened, or is damaged.
  absl::StatusOr<Batch> Read(int64_t index) const;

  // Returns all batches. Those of one file that share a storage still share it.
  // Errors are as those of Read(), but do not name the batch.
  absl::StatusOr<std::vector<Batch>> ReadAll() const;

  // Return the batches from number `begin` on, up to and without `end`, and
  // those at `numbers`, in their order. Errors: those of Read().
  absl::StatusOr<std::vector<Batch>> ReadRange(int64_t begin,
                                               int64_t end) const;
  absl::StatusOr<std::vector<Batch>> ReadEach(
      absl::Span<const int64_t> numbers) const;

 private:
  // The batches of one file, of which the first `size` are wanted.
  struct Part {
    std::unique_ptr<const BatchFile> file;
    int64_t size;
  };

  explicit BatchReader(std::vector<Part> parts);
  // Wraps `size` batches that `read` returns (MakeBatchFile).
  static BatchReader OnDemand(
      int64_t size, std::function<absl::StatusOr<Batch>(int64_t index)> read);

  std::vector<Part> parts_;
};

}  // namespace ns

#endif  // NS_BATCHES_BATCH_READER_H_
