// Reads files that Python's torch.save wrote.
#ifndef NS_BATCHES_TORCH_SAVE_H_
#define NS_BATCHES_TORCH_SAVE_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "ir/files/archive_records.h"
#include "ir/files/input_file.h"
#include "ir/files/pickle.h"

namespace ns {

class GoodRecords;

// A file of torch.save, whose structure is in memory and whose tensors are not.
// See ConvertPickled for the values that it can hold.
//
// It is safe on damaged files: a record is compared with its checksum before a
// value that uses it is returned. Errors: a phrase that continues "<path>: ".
class TorchSave {
 public:
  // Reads the structure of `file`, which is open at `path`. Which values are in
  // the pickle is checked by the functions below. Error: an archive or a pickle
  // that is damaged, or was saved on a big-endian machine.
  static absl::StatusOr<TorchSave> Open(const std::string& path,
                                        const std::shared_ptr<InputFile>& file,
                                        const PickleOptions& options = {});

  // The pickle of the whole file; its parts can be given to the functions
  // below.
  const PickleValue& root() const { return *root_; }

  // Converts `value` with tensors of the right sizes on the device "meta": they
  // have no bytes, and quantized ones no quantizer. Error: `value` holds
  // something unsupported, or a tensor that is not inside its storage.
  absl::StatusOr<c10::IValue> Outline(const PickleValue& value) const;

  // Reads `value` with its tensors. They are on the CPU whatever device they
  // were on, need no gradient and keep their strides; those that shared a
  // storage still share it. Of each storage the bytes from the first to the
  // last that `value` uses are read; the first time, the rest of the storage is
  // read once more for its checksum, a block at a time.
  //
  // Opens the file again. Any thread may call it. Error: also a file that
  // changed since Open(), or a record that is not what was written.
  absl::StatusOr<c10::IValue> Read(const PickleValue& value) const;

 private:
  TorchSave(std::string path, const InputFile::Identity& identity,
            std::shared_ptr<const PickleValue> root, ArchiveRecords records);

  std::string path_;
  InputFile::Identity identity_;
  std::shared_ptr<const PickleValue> root_;
  ArchiveRecords records_;
  // Copies share it, and Read adds to it.
  std::shared_ptr<GoodRecords> good_records_;
};

}  // namespace ns

#endif  // NS_BATCHES_TORCH_SAVE_H_
