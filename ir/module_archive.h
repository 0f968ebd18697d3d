// Reads the archive of a TorchScript file, and checks it as LibTorch reads it.
#ifndef IR_MODULE_ARCHIVE_H_
#define IR_MODULE_ARCHIVE_H_

#include <caffe2/serialize/read_adapter_interface.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/archive_records.h"
#include "ir/input_file.h"

namespace ns {

// An archive that checks records on their way to LibTorch, which compares no
// checksum, and takes a record to be as long as a tensor says. Reading through
// this class, LibTorch gets the bytes that were written, or none.
//
// Records are compared with their checksums while they are in the cache:
// reading the file once more would cost a tenth of loading it.
class ModuleArchive final : public caffe2::serialize::ReadAdapterInterface {
 public:
  // Opens an archive and checks its compressed records, which LibTorch reads in
  // pieces. It is safe on any bytes. Error: a phrase that continues "<path>: ".
  static absl::StatusOr<std::shared_ptr<ModuleArchive>> Open(
      std::shared_ptr<InputFile> file);

  const ArchiveRecords& records() const { return records_; }

  bool Has(absl::string_view name) const { return records_.contains(name); }

  // Returns the checked content of an existing record. Error: as Open.
  absl::StatusOr<std::string> Read(absl::string_view name) const;

  // Checks the records that nobody has read. Error: as Open, also for a record
  // that was damaged when LibTorch read it, which then got nothing.
  absl::Status CheckRest() const;

  size_t size() const override { return file_->size(); }
  size_t read(uint64_t position, void* buffer, size_t count,
              const char* what) const override;

 private:
  struct Tracked {
    std::string name;
    ArchiveRecord record;
    bool is_good = false;
  };

  ModuleArchive(std::shared_ptr<InputFile> file, ArchiveRecords records);

  // Reads all of a stored record and notes whether it is good.
  bool ReadChecked(Tracked& tracked, char* buffer) const;

  const std::shared_ptr<InputFile> file_;
  const ArchiveRecords records_;
  // The stored records, by offset. They are mutable since LibTorch's calls are
  // const.
  mutable absl::flat_hash_map<uint64_t, Tracked> stored_;
};

// The error for a record whose bytes are not those that were written.
absl::Status DamagedRecord(absl::string_view name);

}  // namespace ns

#endif  // IR_MODULE_ARCHIVE_H_
