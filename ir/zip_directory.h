// Where the records of a zip archive lie, which LibTorch's reader does not tell
// in full: with it they can be read in parts.
#ifndef IR_ZIP_DIRECTORY_H_
#define IR_ZIP_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/input_file.h"

namespace ns {

struct ZipEntry {
  // In full: "archive/data/0".
  std::string name;
  // Where its own header starts in the file, in bytes.
  uint64_t header = 0;
  // Bytes in the file, and when decompressed.
  uint64_t stored_size = 0;
  uint64_t size = 0;
  bool compressed = false;
  // Of the decompressed bytes.
  uint32_t crc32 = 0;
};

// Reads the directory at the end of an archive, small or zip64, in its order.
// Safe on any bytes. Error: a phrase that goes on after "<path>: ".
absl::StatusOr<std::vector<ZipEntry>> ReadZipDirectory(const InputFile& file);

// Where the bytes of `entry` start; all of them are inside the file. Error: as
// above.
absl::StatusOr<int64_t> DataOffset(const InputFile& file,
                                   const ZipEntry& entry);

}  // namespace ns

#endif  // IR_ZIP_DIRECTORY_H_
