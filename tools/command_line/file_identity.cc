#include "tools/command_line/file_identity.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/base/status.h"
#include "ir/files/archive_records.h"
#include "ir/files/input_file.h"
#include "ir/files/zip_directory.h"

namespace ns {

namespace {

// The checksum of the records of an archive, which its directory has.
uint32_t ChecksumOf(const std::vector<ZipEntry>& entries) {
  uint32_t checksum = 0;
  for (const ZipEntry& entry : entries) {
    checksum = ExtendCrc32(checksum, &entry.crc32, sizeof entry.crc32);
  }
  return checksum;
}

// The checksum of all bytes.
uint32_t ChecksumOf(const InputFile& file) {
  uint32_t checksum = 0;
  std::vector<char> buffer(1 << 16);
  uint64_t position = 0;
  while (const size_t read =
             file.ReadAt(position, buffer.data(), buffer.size())) {
    checksum = ExtendCrc32(checksum, buffer.data(), static_cast<int64_t>(read));
    position += read;
  }
  return checksum;
}

}  // namespace

absl::StatusOr<std::string> FileIdentity(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      Annotated(path, InputFile::Open(path)));
  const absl::StatusOr<std::vector<ZipEntry>> entries = ReadZipDirectory(*file);
  return absl::StrFormat(
      "%s (%d bytes, %08x)", path, file->size(),
      entries.ok() ? ChecksumOf(*entries) : ChecksumOf(*file));
}

}  // namespace ns
