// Reads the archive of a TorchScript file, and checks it as LibTorch reads it.
#ifndef IR_FILES_MODULE_ARCHIVE_H_
#define IR_FILES_MODULE_ARCHIVE_H_

#include <caffe2/serialize/read_adapter_interface.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/files/archive_records.h"
#include "ir/files/input_file.h"

namespace ns {

// An archive that checks records on their way to LibTorch. LibTorch compares no
// checksums, and trusts the size that follows from a tensor's type and shape
// more than the size of its record. Reading through this class, it gets the
// bytes that were written, or none:
//
//   NS_ASSIGN_OR_RETURN(auto archive, ModuleArchive::Open(file));
//   Module module = torch::jit::load(archive);   // throws for a damaged record
//   NS_RETURN_IF_ERROR(archive->CheckRest());    // says which one, and why
//
// A record is compared with its checksum right after it was read, while it is
// in the processor's cache: reading the file once more would cost a tenth of
// loading it. An object serves one load, in one thread.
class ModuleArchive final : public caffe2::serialize::ReadAdapterInterface {
 public:
  // Opens an archive. Its compressed records are checked at once, as LibTorch
  // reads those in pieces. Any content is safe: a malformed archive is an
  // error. Messages leave out the path: the caller puts "<path>: " in front.
  static absl::StatusOr<std::shared_ptr<ModuleArchive>> Open(
      std::shared_ptr<InputFile> file);

  const ArchiveRecords& records() const { return records_; }

  bool Has(absl::string_view name) const { return records_.contains(name); }

  // Returns the content of a record, decompressed and checked. Has(name) must
  // be true. Error: DamagedRecord.
  absl::StatusOr<std::string> Read(absl::string_view name) const;

  // Reads and checks the records that have not been found good yet: those that
  // LibTorch did not read, and those that `read` refused. Call it after
  // loading, also when loading threw. Error: DamagedRecord for the first
  // damaged one by name.
  absl::Status CheckRest() const;

  // LibTorch calls these two. `read` returns 0 for a damaged record.
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
  // The records that are not compressed, by offset. They are mutable since
  // LibTorch's calls are const.
  mutable absl::flat_hash_map<uint64_t, Tracked> stored_;
};

// The error for a record whose bytes are not those that were written: a phrase
// that continues "<path>: ".
absl::Status DamagedRecord(absl::string_view name);

}  // namespace ns

#endif  // IR_FILES_MODULE_ARCHIVE_H_
