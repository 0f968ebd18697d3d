// The records of archives that torch.save and torch.jit.save write.
#ifndef IR_ARCHIVE_RECORDS_H_
#define IR_ARCHIVE_RECORDS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "ir/input_file.h"

namespace ns {

// Where the bytes of a record of an archive are.
struct ArchiveRecord {
  // In the file, in bytes.
  int64_t offset = 0;
  // Bytes in the file, all of which are there, and when decompressed: that is a
  // claim of the file.
  int64_t stored_size = 0;
  int64_t size = 0;
  bool compressed = false;
  // Of the decompressed bytes.
  uint32_t crc32 = 0;
};

// By name, as LibTorch's reader has it: without the archive's folder.
using ArchiveRecords = absl::flat_hash_map<std::string, ArchiveRecord>;

// The records of an archive, which are in one folder. Safe on any bytes. Error:
// a phrase that goes on after "<path>: ".
absl::StatusOr<ArchiveRecords> FindArchiveRecords(const InputFile& file);

// Reads and decompresses a record. Error: as above; its bytes are not those
// that were written, as its checksum tells.
absl::StatusOr<std::string> ReadArchiveRecord(const InputFile& file,
                                              const ArchiveRecord& record);

// The checksum of zip archives, of bytes behind others whose checksum is `crc`,
// at first 0.
uint32_t ExtendCrc32(uint32_t crc, const void* bytes, int64_t count);

}  // namespace ns

#endif  // IR_ARCHIVE_RECORDS_H_
