#include "ir/files/module_archive.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"

namespace ns {
namespace {

// Blocks are small enough for a core's own cache.
constexpr int64_t kBlockBytes = int64_t{1} << 18;

// Asks the system for large pages for a buffer that is about to be filled.
// Touching it for the first time page by page costs more than reading the file
// does; large pages save the time that the checksums take.
void AdviseLargePages(char* buffer, int64_t bytes) {
  constexpr uintptr_t kPageBytes = 4096;
  if (bytes < kBlockBytes) {
    return;
  }
  const auto start = reinterpret_cast<uintptr_t>(buffer);
  const uintptr_t first = (start + kPageBytes - 1) / kPageBytes * kPageBytes;
  const uintptr_t end = (start + bytes) / kPageBytes * kPageBytes;
  // What the system does with the advice changes no result.
  (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace

absl::Status DamagedRecord(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("is damaged, in its record ", name,
                   "; copy it again, or save it again with torch.jit.save"));
}

ModuleArchive::ModuleArchive(std::shared_ptr<InputFile> file,
                             ArchiveRecords records)
    : file_(std::move(file)), records_(std::move(records)) {
  for (const auto& [name, record] : records_) {
    if (!record.compressed && record.size > 0) {
      stored_.emplace(record.offset, Tracked{name, record});
    }
  }
}

absl::StatusOr<std::shared_ptr<ModuleArchive>> ModuleArchive::Open(
    std::shared_ptr<InputFile> file) {
  NS_ASSIGN_OR_RETURN(ArchiveRecords records, FindArchiveRecords(*file));
  std::shared_ptr<ModuleArchive> archive(
      new ModuleArchive(std::move(file), std::move(records)));
  for (const auto& [name, record] : archive->records_) {
    if (record.compressed) {
      NS_RETURN_IF_ERROR(archive->Read(name).status());
    }
  }
  return archive;
}

absl::StatusOr<std::string> ModuleArchive::Read(absl::string_view name) const {
  absl::StatusOr<std::string> content =
      ReadArchiveRecord(*file_, records_.at(name));
  return content.ok() ? content : DamagedRecord(name);
}

absl::Status ModuleArchive::CheckRest() const {
  // Sorts them by name, so that a file has the same error each time.
  std::vector<std::string> bad;
  for (auto& [offset, tracked] : stored_) {
    std::string content(tracked.is_good ? 0 : tracked.record.size, '\0');
    if (!tracked.is_good && !ReadChecked(tracked, content.data())) {
      bad.push_back(tracked.name);
    }
  }
  return bad.empty() ? absl::OkStatus()
                     : DamagedRecord(*std::min_element(bad.begin(), bad.end()));
}

bool ModuleArchive::ReadChecked(Tracked& tracked, char* buffer) const {
  const ArchiveRecord& record = tracked.record;
  AdviseLargePages(buffer, record.size);
  uint32_t crc = 0;
  for (int64_t done = 0; done < record.size;) {
    const int64_t count = std::min(kBlockBytes, record.size - done);
    if (file_->ReadAt(record.offset + done, buffer + done, count) !=
        static_cast<size_t>(count)) {
      return false;
    }
    crc = ExtendCrc32(crc, buffer + done, count);
    done += count;
  }
  tracked.is_good = crc == record.crc32;
  return tracked.is_good;
}

size_t ModuleArchive::read(uint64_t position, void* buffer, size_t count,
                           const char* /*what*/) const {
  const auto found = stored_.find(position);
  if (found == stored_.end() ||
      count != static_cast<size_t>(found->second.record.size)) {
    return file_->ReadAt(position, buffer, count);
  }
  return ReadChecked(found->second, static_cast<char*>(buffer)) ? count : 0;
}

}  // namespace ns
