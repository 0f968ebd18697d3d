// Finds where the records of a zip archive lie, so that they can be read in
// parts. LibTorch's reader does not tell this in full.
#ifndef IR_FILES_ZIP_DIRECTORY_H_
#define IR_FILES_ZIP_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/files/input_file.h"

namespace ns {

struct ZipEntry {
  // The full name, with its folder: "archive/data/0".
  std::string name;
  // The offset of the entry's own header in the file, in bytes.
  uint64_t header = 0;
  // The bytes of the record in the file, and after decompression.
  uint64_t stored_size = 0;
  uint64_t size = 0;
  // By any method; otherwise the bytes are stored as they are.
  bool compressed = false;
  // The checksum of the bytes after decompression.
  uint32_t crc32 = 0;
};

// Reads the directory at the end of an archive, in its 32-bit or its zip64
// form, and returns the entries in its order; names may repeat. It is safe on
// any bytes, but does not hold the sizes of entries against the file: call
// DataOffset before memory is taken for one. Error: a phrase that continues
// "<path>: ".
absl::StatusOr<std::vector<ZipEntry>> ReadZipDirectory(const InputFile& file);

// Returns the offset in the file of the first of the `stored_size` bytes of
// `entry`. The checksum is not checked. Error, as of ReadZipDirectory: they do
// not all lie inside the file, or no header is at `entry.header`.
absl::StatusOr<int64_t> DataOffset(const InputFile& file,
                                   const ZipEntry& entry);

}  // namespace ns

#endif  // IR_FILES_ZIP_DIRECTORY_H_
