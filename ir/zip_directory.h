// Finds where the records of a zip archive lie, so that they can be read in
// parts. LibTorch's reader does not tell this in full.
#ifndef IR_ZIP_DIRECTORY_H_
#define IR_ZIP_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/input_file.h"

namespace ns {

struct ZipEntry {
  // The full name, with its folder: "archive/data/0".
  std::string name;
  // The offset of the entry's own header in the file, in bytes.
  uint64_t header = 0;
  // The bytes of the record in the file, and after decompression.
  uint64_t stored_size = 0;
  uint64_t size = 0;
  bool compressed = false;
  // The checksum of the bytes after decompression.
  uint32_t crc32 = 0;
};

// Reads the directory at the end of an archive, small or zip64, and returns the
// entries in its order. It is safe on any bytes. Error: a phrase that continues
// "<path>: ".
absl::StatusOr<std::vector<ZipEntry>> ReadZipDirectory(const InputFile& file);

// Returns the offset in the file of the bytes of `entry`, all of which are
// inside the file. Error: as ReadZipDirectory.
absl::StatusOr<int64_t> DataOffset(const InputFile& file,
                                   const ZipEntry& entry);

}  // namespace ns

#endif  // IR_ZIP_DIRECTORY_H_
