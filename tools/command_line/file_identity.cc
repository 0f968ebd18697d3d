#include "tools/command_line/file_identity.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/archive_records.h"
#include "ir/input_file.h"
#include "ir/status.h"
#include "ir/zip_directory.h"

namespace ns {

absl::StatusOr<std::string> FileIdentity(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      Annotated(path, InputFile::Open(path)));
  const std::string size = absl::StrCat(file->size(), " bytes");
  const absl::StatusOr<std::vector<ZipEntry>> entries = ReadZipDirectory(*file);
  if (!entries.ok()) {
    return absl::StrCat(path, " (", size, ")");
  }
  uint32_t checksum = 0;
  for (const ZipEntry& entry : *entries) {
    checksum = ExtendCrc32(checksum, &entry.crc32, sizeof entry.crc32);
  }
  return absl::StrFormat("%s (%s, %08x)", path, size, checksum);
}

}  // namespace ns
