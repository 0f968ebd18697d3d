// Finds and reads the records of archives that torch.save and torch.jit.save
// write.
#ifndef IR_FILES_ARCHIVE_RECORDS_H_
#define IR_FILES_ARCHIVE_RECORDS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/files/input_file.h"

namespace ns {

// Says where the bytes of one record lie in the file.
struct ArchiveRecord {
  // The offset of the record's bytes in the file, in bytes.
  int64_t offset = 0;
  // The bytes of the record in the file, all of which are there, and the bytes
  // after decompression, which are a claim of the file.
  int64_t stored_size = 0;
  int64_t size = 0;
  bool compressed = false;
  // The checksum of the bytes after decompression.
  uint32_t crc32 = 0;
};

// The records by name. As in LibTorch's reader, a name does not contain the
// archive's folder.
using ArchiveRecords = absl::flat_hash_map<std::string, ArchiveRecord>;

// Returns the records in the folder of the archive's first record; LibTorch's
// reader does not see others, either. It is safe on any bytes. Error, a phrase
// that continues "<path>: ": a damaged archive, or two records of one name.
absl::StatusOr<ArchiveRecords> FindArchiveRecords(const InputFile& file);

// Reads and decompresses a record. Error: a phrase that continues "<path>: ",
// also where the checksum shows that the bytes are not those that were written.
absl::StatusOr<std::string> ReadArchiveRecord(const InputFile& file,
                                              const ArchiveRecord& record);

// Compares a record that is not compressed with its checksum. Reads it in
// blocks, so that no memory is taken for all of it. Error: a phrase that
// continues "<path>: ".
absl::Status CheckArchiveRecord(const InputFile& file,
                                const ArchiveRecord& record);

// Extends `crc`, the zip checksum of the bytes so far (0 for none), by `count`
// bytes.
uint32_t ExtendCrc32(uint32_t crc, const void* bytes, int64_t count);

}  // namespace ns

#endif  // IR_FILES_ARCHIVE_RECORDS_H_
